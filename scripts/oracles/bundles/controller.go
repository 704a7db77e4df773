package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sort"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/operator-framework/operator-controller/internal/operator-controller/config"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/bundle/source"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/preflights/crdupgradesafety"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render/certproviders"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render/registryv1"
)

type conversion struct {
	InstallNamespace    string                   `json:"installNamespace"`
	TargetNamespaces    []string                 `json:"targetNamespaces"`
	CertificateProvider string                   `json:"certificateProvider"`
	DeploymentConfig    *config.DeploymentConfig `json:"deploymentConfig"`
}

// convert renders a registry+v1 bundle. Objects come in the renderer's order.
func convert(directory string, wanted conversion) any {
	bundle, err := source.FromFS(os.DirFS(directory)).GetBundle()
	if err != nil {
		return refused(err)
	}
	options := []render.Option{
		render.WithTargetNamespaces(wanted.TargetNamespaces...),
		render.WithDeploymentConfig(wanted.DeploymentConfig),
	}
	switch wanted.CertificateProvider {
	case "cert-manager":
		options = append(options, render.WithCertificateProvider(certproviders.CertManagerCertificateProvider{}))
	case "service-ca":
		options = append(options, render.WithCertificateProvider(certproviders.OpenshiftServiceCaCertificateProvider{}))
	}
	objects, err := registryv1.Renderer.Render(bundle, wanted.InstallNamespace, options...)
	if err != nil {
		return refused(err)
	}
	plain := make([]any, 0, len(objects))
	for _, object := range objects {
		plain = append(plain, plainObject(object))
	}
	return map[string]any{"objects": plain}
}

// plainObject is the object as it is applied: by its own JSON.
func plainObject(object client.Object) any {
	text, err := yaml.Marshal(object)
	if err != nil {
		fail(err)
	}
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		fail(err)
	}
	return plain
}

func validateByController(directory string) any {
	bundle, err := source.FromFS(os.DirFS(directory)).GetBundle()
	if err != nil {
		return refused(err)
	}
	return refused(registryv1.BundleValidator.Validate(&bundle))
}

// upgrade compares definitions as the preflight check of an upgrade does: the old ones are in the cluster.
func upgrade(old, now string) any {
	existing := []runtime.Object{}
	for _, one := range objectsIn(old) {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one.(*unstructured.Unstructured).Object, definition); err != nil {
			fail(err)
		}
		existing = append(existing, definition)
	}
	cluster := fake.NewClientset(existing...).ApiextensionsV1().CustomResourceDefinitions()
	return refusedLines(crdupgradesafety.NewPreflight(cluster).Upgrade(context.Background(), objectsIn(now)))
}

// refusedLines gives each line of the errors of one definition its first words, which name the definition.
func refusedLines(err error) any {
	all := []string{}
	if err != nil {
		all = strings.Split(err.Error(), "\n")
		prefix := all[0][:strings.Index(all[0], ": ")+2]
		for at := range all[1:] {
			all[at+1] = prefix + all[at+1]
		}
		sort.Strings(all)
	}
	return map[string]any{"errors": all}
}

func objectsIn(text string) []client.Object {
	all := []client.Object{}
	decoder := k8syaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		one := &unstructured.Unstructured{}
		if err := decoder.Decode(&one.Object); err != nil {
			if errors.Is(err, io.EOF) {
				return all
			}
			fail(err)
		}
		if one.Object != nil {
			all = append(all, one)
		}
	}
}
