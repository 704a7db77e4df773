// Runs the Starlark runtime of kyaml as a function: a ResourceList on stdin, a ResourceList on stdout.
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/fn/runtime/starlark"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

func main() {
	run := func(list *framework.ResourceList) error {
		source, err := list.FunctionConfig.Pipe(yaml.Lookup("source"))
		if err != nil {
			return err
		}
		if source == nil {
			source, err = list.FunctionConfig.Pipe(yaml.Lookup("data", "source"))
		}
		if err != nil || source == nil {
			return fmt.Errorf("no source: %v", err)
		}
		filter := starlark.Filter{Name: "starlark", Program: source.YNode().Value}
		filter.FunctionConfig = list.FunctionConfig
		list.Items, err = filter.Filter(list.Items)
		return err
	}
	err := framework.Execute(framework.ResourceListProcessorFunc(run), &kio.ByteReadWriter{
		Reader: os.Stdin, Writer: os.Stdout, KeepReaderAnnotations: true,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
