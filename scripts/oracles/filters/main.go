// Runs kustomize on documents from stdin: `replacements CONFIG` is the filter inside the function apply-replacements, and
// `build KUSTOMIZATION` is `kustomize build` of in.yaml, whose transformers several functions of the catalog are made of.
package main

import (
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/kustomize/api/filters/replacement"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: filters replacements|build CONFIG"))
	}
	if os.Args[1] == "replacements" {
		fail(replace(os.Args[2]))
	} else {
		fail(build(os.Args[2]))
	}
}

func replace(config string) error {
	filter := replacement.Filter{}
	if err := yaml.Unmarshal([]byte(config), &filter); err != nil {
		return err
	}
	stream := &kio.ByteReadWriter{Reader: os.Stdin, Writer: os.Stdout, OmitReaderAnnotations: true}
	return kio.Pipeline{Inputs: []kio.Reader{stream}, Filters: []kio.Filter{filter}, Outputs: []kio.Writer{stream}}.Execute()
}

func build(kustomization string) error {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	files := filesys.MakeFsInMemory()
	if err := files.WriteFile("/kustomization.yaml", []byte(kustomization)); err != nil {
		return err
	}
	if err := files.WriteFile("/in.yaml", input); err != nil {
		return err
	}
	result, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/")
	if err != nil {
		return err
	}
	text, err := result.AsYaml()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
