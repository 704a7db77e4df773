// Asks operator-controller and opm of one bundle, or of two sets of CustomResourceDefinitions. Reads a question as JSON from its standard
// input and prints the answer as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// question is a case: `files` by path is a bundle, `old` and `new` are texts of definitions.
type question struct {
	Files map[string]string `json:"files"`
	// Options of the conversion. Without it the bundle is only validated.
	Convert *conversion `json:"convert"`
	Old     *string     `json:"old"`
	New     *string     `json:"new"`
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: bundles operator-controller-bundles|opm-bundles < question.json"))
	}
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		fail(err)
	}
	var answer any
	switch {
	case asked.Old != nil:
		answer = upgrade(*asked.Old, *asked.New)
	case os.Args[1] == "opm-bundles":
		answer = inDirectory(asked.Files, validateByOpm)
	case asked.Convert != nil:
		answer = inDirectory(asked.Files, func(directory string) any { return convert(directory, *asked.Convert) })
	default:
		answer = inDirectory(asked.Files, validateByController)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		fail(err)
	}
}

// inDirectory writes the files to a new directory, for tools that read directories, and removes it afterwards.
func inDirectory(files map[string]string, ask func(directory string) any) any {
	directory, err := os.MkdirTemp("", "bundle-")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(directory)
	for path, text := range files {
		file := filepath.Join(directory, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			fail(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			fail(err)
		}
	}
	return ask(directory)
}

// refused is an answer that has only errors: the leaves of a tree of joined errors, in order.
func refused(err error) map[string]any {
	return map[string]any{"errors": leaves(err)}
}

func leaves(err error) []string {
	if err == nil {
		return []string{}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all := []string{}
		for _, each := range joined.Unwrap() {
			all = append(all, leaves(each)...)
		}
		return all
	}
	return []string{err.Error()}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
