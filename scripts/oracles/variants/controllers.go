package main

import (
	"context"
	"sort"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	variantapi "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"
	"github.com/nephio-project/porch/controllers/packagevariants/pkg/controllers/packagevariant"
	setapi "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	"github.com/nephio-project/porch/controllers/packagevariantsets/pkg/controllers/packagevariantset"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// expand runs the controller of sets. The variants in the world are those that the set made before.
func expand(set *setapi.PackageVariantSet, world []client.Object) map[string]any {
	before := map[string]bool{}
	for _, one := range world {
		if variant, ok := one.(*variantapi.PackageVariant); ok {
			variant.Labels = map[string]string{packagevariantset.PackageVariantSetOwnerLabel: string(set.UID)}
			before[variant.Name] = true
		}
	}
	memory := newCluster(append(world, set)...)
	reconciler := &packagevariantset.PackageVariantSetReconciler{Client: memory}
	if _, err := reconciler.Reconcile(context.Background(), requestFor(set)); err != nil {
		fail(err)
	}
	after := &setapi.PackageVariantSet{}
	read(memory, set, after)
	if stalled := meta.FindStatusCondition(after.Status.Conditions, packagevariantset.ConditionTypeStalled); stalled != nil &&
		stalled.Status == metav1.ConditionTrue {
		return map[string]any{"stalled": map[string]any{"reason": stalled.Reason, "message": stalled.Message}}
	}
	list := &variantapi.PackageVariantList{}
	if err := memory.List(context.Background(), list, client.InNamespace(set.Namespace)); err != nil {
		fail(err)
	}
	variants := []any{}
	for _, variant := range list.Items {
		variants = append(variants, map[string]any{"name": variant.Name, "spec": jsonOf(variant.Spec)})
		delete(before, variant.Name)
	}
	found := map[string]any{"variants": variants}
	if len(before) > 0 {
		found["deleted"] = keys(before)
	}
	return found
}

// decide runs the controller of variants.
func decide(variant *variantapi.PackageVariant, world []client.Object) map[string]any {
	memory := newCluster(append(world, variant)...)
	after, err := reconcile(memory, variant)
	found := map[string]any{}
	if len(memory.writes) > 0 {
		found["writes"] = plain(memory.writes)
	}
	if stalled := meta.FindStatusCondition(after.Status.Conditions, packagevariant.ConditionTypeStalled); stalled != nil &&
		stalled.Status == metav1.ConditionTrue {
		found["stalled"] = stalled.Message
		return found
	}
	if err != nil {
		found["error"] = err.Error()
		return found
	}
	targets := []string{}
	for _, target := range after.Status.DownstreamTargets {
		targets = append(targets, target.Name)
	}
	sort.Strings(targets)
	if len(targets) > 0 {
		found["targets"] = targets
	}
	return found
}

// mutate runs the controller of variants on one draft of the variant, which has the files.
func mutate(variant *variantapi.PackageVariant, world []client.Object, files map[string]string) map[string]any {
	before := map[string]string{}
	for path, text := range files {
		before[path] = text
	}
	draft := &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name: "draft", Namespace: variant.Namespace,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "PackageVariant", Name: variant.Name, UID: variant.UID}},
		},
		Spec: porchapi.PackageRevisionSpec{
			PackageName: variant.Spec.Downstream.Package, RepositoryName: variant.Spec.Downstream.Repo,
			WorkspaceName: "packagevariant-1", Lifecycle: porchapi.PackageRevisionLifecycleDraft,
		},
	}
	upstream := &porchapi.PackageRevision{
		ObjectMeta: metav1.ObjectMeta{Name: "upstream", Namespace: variant.Namespace},
		Spec: porchapi.PackageRevisionSpec{
			PackageName: variant.Spec.Upstream.Package, RepositoryName: variant.Spec.Upstream.Repo,
			WorkspaceName: "main", Revision: -1, Lifecycle: porchapi.PackageRevisionLifecyclePublished,
		},
	}
	resources := &porchapi.PackageRevisionResources{
		ObjectMeta: metav1.ObjectMeta{Name: draft.Name, Namespace: variant.Namespace},
		Spec: porchapi.PackageRevisionResourcesSpec{
			PackageName: draft.Spec.PackageName, RepositoryName: draft.Spec.RepositoryName, Resources: files,
		},
	}
	memory := newCluster(append(world, variant, draft, upstream, resources)...)
	after, err := reconcile(memory, variant)
	if stalled := meta.FindStatusCondition(after.Status.Conditions, packagevariant.ConditionTypeStalled); stalled != nil &&
		stalled.Status == metav1.ConditionTrue {
		return map[string]any{"stalled": stalled.Message}
	}
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	now := &porchapi.PackageRevisionResources{}
	read(memory, resources, now)
	changed := map[string]any{}
	for path, text := range now.Spec.Resources {
		if before[path] != text {
			changed[path] = text
		}
	}
	return map[string]any{"changed": changed}
}

func reconcile(memory *cluster, variant *variantapi.PackageVariant) (*variantapi.PackageVariant, error) {
	reconciler := &packagevariant.PackageVariantReconciler{Client: memory}
	_, err := reconciler.Reconcile(context.Background(), requestFor(variant))
	after := &variantapi.PackageVariant{}
	// A variant that was being deleted is gone now.
	_ = memory.Get(context.Background(), client.ObjectKeyFromObject(variant), after)
	return after, err
}

func requestFor(one client.Object) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(one)}
}

func read(memory *cluster, one, into client.Object) {
	if err := memory.Get(context.Background(), client.ObjectKeyFromObject(one), into); err != nil {
		fail(err)
	}
}

func keys(set map[string]bool) []string {
	names := []string{}
	for name := range set {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
