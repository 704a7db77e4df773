// Runs Porch's own controllers of PackageVariant and PackageVariantSet once, against a cluster in memory. Reads a question as JSON from its
// standard input and prints what the controller did as JSON.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	porchapi "github.com/nephio-project/porch/api/porch/v1alpha1"
	configapi "github.com/nephio-project/porch/api/porchconfig/v1alpha1"
	variantapi "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"
	setapi "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// question is a case.
type question struct {
	// A PackageVariant or a PackageVariantSet.
	Document string `json:"document"`
	// What the cluster has besides: any objects, as YAML.
	World string `json:"world"`
	// The files of the variant's only draft. With them the answer is the files that the controller changes.
	Package map[string]string `json:"package"`
}

// Documents without a namespace are in this one.
const namespace = "default"

// uid is the identity of a document that gives none.
const uid = "asked"

var scheme = knownTypes()

// Errors name a scheme by the line of Go that made it.
var inScheme = regexp.MustCompile(` in scheme "[^"]*"`)

func main() {
	logging := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(logging)
	_ = logging.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"})
	klog.SetOutput(io.Discard)
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		fail(err)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer(asked)); err != nil {
		fail(err)
	}
}

func answer(asked question) map[string]any {
	document, _, err := serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode([]byte(asked.Document), nil, nil)
	if err != nil {
		return map[string]any{"refused": inScheme.ReplaceAllString(err.Error(), "")}
	}
	world := objects(asked.World)
	switch one := document.(type) {
	case *setapi.PackageVariantSet:
		place(one)
		return expand(one, world)
	case *variantapi.PackageVariant:
		place(one)
		if asked.Package != nil {
			return mutate(one, world, asked.Package)
		}
		return decide(one, world)
	}
	return map[string]any{"refused": fmt.Sprintf("%T is not a variant", document)}
}

func place(one client.Object) {
	if one.GetNamespace() == "" {
		one.SetNamespace(namespace)
	}
	if one.GetUID() == "" {
		one.SetUID(uid)
	}
	// A cluster in memory keeps an object that is being deleted only if something still holds it.
	if one.GetDeletionTimestamp() != nil {
		one.SetFinalizers([]string{variantapi.Finalizer})
	}
}

// objects reads the documents of the world: those of Porch by their types, all others as they are.
func objects(text string) []client.Object {
	all := []client.Object{}
	decoder := k8syaml.NewYAMLToJSONDecoder(strings.NewReader(text))
	for {
		one := &unstructured.Unstructured{}
		if err := decoder.Decode(&one.Object); err != nil {
			if errors.Is(err, io.EOF) {
				return all
			}
			fail(err)
		}
		if one.Object == nil {
			continue
		}
		if one.GetNamespace() == "" {
			one.SetNamespace(namespace)
		}
		typed, err := scheme.New(one.GroupVersionKind())
		if err != nil {
			all = append(all, one)
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one.Object, typed); err != nil {
			fail(err)
		}
		all = append(all, typed.(client.Object))
	}
}

func knownTypes() *runtime.Scheme {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		porchapi.AddToScheme, configapi.AddToScheme, variantapi.AddToScheme, setapi.AddToScheme,
	} {
		if err := add(known); err != nil {
			fail(err)
		}
	}
	return known
}

// plain is a value as its JSON says it, without fields that are null or empty.
func plain(value any) any {
	return withoutEmpty(jsonOf(value))
}

func jsonOf(value any) any {
	text, err := yaml.Marshal(value)
	if err != nil {
		fail(err)
	}
	var data any
	if err := yaml.Unmarshal(text, &data); err != nil {
		fail(err)
	}
	return data
}

func withoutEmpty(value any) any {
	switch one := value.(type) {
	case map[string]any:
		for key, each := range one {
			if each == nil || each == "" {
				delete(one, key)
			} else {
				one[key] = withoutEmpty(each)
			}
		}
	case []any:
		for at, each := range one {
			one[at] = withoutEmpty(each)
		}
	}
	return value
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
