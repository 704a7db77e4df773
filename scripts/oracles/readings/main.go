// Reads texts as the tools read them that bring a repository's files to a cluster. A question is a line of JSON: a text.
// The answer is a line of JSON: for each reader the objects that it gets, and the error that ended its reading.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/kustomize/api/provider"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// reading holds what was read before an error, too: kubectl applies it.
type reading struct {
	Objects []any  `json:"objects"`
	Error   string `json:"error,omitempty"`
}

type answer struct {
	// The documents as apimachinery decodes them, whatever they hold.
	Documents reading `json:"documents"`
	// What `kubectl apply -f` sends: its own code, without a cluster.
	Kubectl reading `json:"kubectl"`
	// What Argo CD's directory source syncs: the calls of reposerver/repository.go, which no package exports.
	Argo reading `json:"argo"`
	// What kustomize reads of a resource file, and Flux of its build.
	Kustomize reading `json:"kustomize"`
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var text string
			if err := json.Unmarshal(line, &text); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			written, err := json.Marshal(answer{
				Documents: read(text, documents), Kubectl: read(text, kubectl),
				Argo: read(text, argo), Kustomize: read(text, kustomize),
			})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			out.Write(append(written, '\n'))
		}
		if err != nil {
			break
		}
	}
	out.Flush()
}

// read turns a panic of a reader into an error, as the servers do that call it.
func read(text string, by func(string, func(any)) error) (result reading) {
	result.Objects = []any{}
	defer func() {
		if caught := recover(); caught != nil {
			result.Error = fmt.Sprint("panic: ", caught)
		}
	}()
	if err := by(text, func(object any) { result.Objects = append(result.Objects, object) }); err != nil {
		result.Error = strings.ToValidUTF8(err.Error(), "?")
	}
	return
}

func documents(text string, found func(any)) error {
	decoder := kubeyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		raw := runtime.RawExtension{}
		if err := decoder.Decode(&raw); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		raw.Raw = bytes.TrimSpace(raw.Raw)
		if len(raw.Raw) > 0 && !bytes.Equal(raw.Raw, []byte("null")) {
			// As Unstructured holds it: numbers are int64 or float64.
			var value any
			if err := kubejson.Unmarshal(raw.Raw, &value); err != nil {
				return err
			}
			found(value)
		}
	}
}

func kubectl(text string, found func(any)) error {
	return resource.NewLocalBuilder().Unstructured().ContinueOnError().
		Stream(strings.NewReader(text), "text").Flatten().Do().
		Visit(func(info *resource.Info, err error) error {
			if err != nil {
				return err
			}
			found(info.Object.(*unstructured.Unstructured).Object)
			return nil
		})
}

func argo(text string, found func(any)) error {
	decoder := kubeyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
		if object != nil {
			objects = append(objects, object)
		}
	}
	return flatten(objects, found)
}

func flatten(objects []*unstructured.Unstructured, found func(any)) error {
	for _, object := range objects {
		if !object.IsList() {
			found(object.Object)
			continue
		}
		err := object.EachListItem(func(item runtime.Object) error {
			found(item.(*unstructured.Unstructured).Object)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// holdsItself says whether an alias stands within its own anchor: kustomize follows it until its stack ends the process.
func holdsItself(text string) bool {
	// As kustomize divides a text, which reads a part even where another is no YAML.
	for _, part := range separator.Split(strings.ReplaceAll(text, "\r\n", "\n"), -1) {
		decoder := kyaml.NewDecoder(strings.NewReader(part))
		for {
			var node kyaml.Node
			if decoder.Decode(&node) != nil {
				break
			}
			if isWithin(&node, map[*kyaml.Node]bool{}) {
				return true
			}
		}
	}
	return false
}

var separator = regexp.MustCompile(`\n---.*\n`)

func isWithin(node *kyaml.Node, open map[*kyaml.Node]bool) bool {
	if open[node] {
		return true
	}
	open[node] = true
	defer delete(open, node)
	if node.Alias != nil && isWithin(node.Alias, open) {
		return true
	}
	return slices.ContainsFunc(node.Content, func(one *kyaml.Node) bool { return isWithin(one, open) })
}

func kustomize(text string, found func(any)) error {
	if holdsItself(text) {
		return errors.New("an alias stands within its own anchor")
	}
	resources, err := provider.NewDefaultDepProvider().GetResourceFactory().SliceFromBytes([]byte(text))
	if err != nil {
		return err
	}
	var objects []*unstructured.Unstructured
	for _, one := range resources {
		built, err := one.AsYAML()
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := kubeyaml.NewYAMLOrJSONDecoder(bytes.NewReader(built), 2048).Decode(&object.Object); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	return flatten(objects, found)
}
