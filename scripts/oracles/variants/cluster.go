package main

import (
	"context"
	"fmt"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	variantapi "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"
	setapi "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// cluster is a cluster in memory that notes what the controller does to package revisions, and does the part of Porch's server that the
// controller waits for: a new revision has a name and files.
type cluster struct {
	client.WithWatch
	// What was done to package revisions, in order.
	writes []any
}

func newCluster(objects ...client.Object) *cluster {
	built := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&variantapi.PackageVariant{}, &setapi.PackageVariantSet{}).Build()
	return &cluster{WithWatch: built}
}

func (c *cluster) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if made, ok := object.(*porchapi.PackageRevision); ok {
		made.Name = fmt.Sprintf("%s.%s.%s", made.Spec.RepositoryName, made.Spec.PackageName, made.Spec.WorkspaceName)
		c.writes = append(c.writes, map[string]any{"create": made.Name, "lifecycle": made.Spec.Lifecycle,
			"labels": made.Labels, "annotations": made.Annotations, "task": taskOf(made)})
	}
	return c.WithWatch.Create(ctx, object, options...)
}

func (c *cluster) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	if changed, ok := object.(*porchapi.PackageRevision); ok {
		owners := []string{}
		for _, owner := range changed.OwnerReferences {
			owners = append(owners, string(owner.UID))
		}
		c.writes = append(c.writes, map[string]any{"update": changed.Name, "lifecycle": changed.Spec.Lifecycle,
			"labels": changed.Labels, "annotations": changed.Annotations, "owners": owners})
	}
	return c.WithWatch.Update(ctx, object, options...)
}

func (c *cluster) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if gone, ok := object.(*porchapi.PackageRevision); ok {
		c.writes = append(c.writes, map[string]any{"delete": gone.Name})
	}
	return c.WithWatch.Delete(ctx, object, options...)
}

// Get gives each revision that has no files of its own a package of nothing but a Kptfile.
func (c *cluster) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	err := c.WithWatch.Get(ctx, key, object, options...)
	files, ok := object.(*porchapi.PackageRevisionResources)
	if !ok || !apierrors.IsNotFound(err) {
		return err
	}
	files.Name, files.Namespace = key.Name, key.Namespace
	files.Spec.Resources = map[string]string{"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"}
	return nil
}

func taskOf(made *porchapi.PackageRevision) any {
	task := made.Spec.Tasks[0]
	switch task.Type {
	case porchapi.TaskTypeClone:
		return map[string]any{"clone": task.Clone.Upstream.UpstreamRef.Name}
	case porchapi.TaskTypeUpgrade:
		return map[string]any{"old": task.Upgrade.OldUpstream.Name, "new": task.Upgrade.NewUpstream.Name,
			"local": task.Upgrade.LocalPackageRevisionRef.Name, "strategy": task.Upgrade.Strategy}
	}
	return string(task.Type)
}
