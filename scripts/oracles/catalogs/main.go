// Asks operator-registry and operator-controller of one catalog. Reads a question as JSON from its standard input and prints the answer as
// JSON.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/operator-framework/operator-controller/internal/shared/util/image"
	"github.com/sirupsen/logrus"
)

// question is a case: the files of its input by path, and its options.
type question struct {
	Ask     string            `json:"ask"`
	Files   map[string]string `json:"files"`
	Options options           `json:"options"`
	// Texts of the catalog that stands for each bundle image of a template.
	Images map[string]string `json:"images"`
	// Bundles of an index from before catalogs were files, and what is done with them.
	Bundles []oldBundle `json:"bundles"`
	Steps   []step      `json:"steps"`
	Ranges  []string    `json:"ranges"`
	// Versions that each range is asked of.
	Versions []string `json:"versions"`
	// The reference of the image of a catalog or bundle, which is unpacked and asked instead of the files.
	Image string `json:"image"`
}

type options struct {
	Package     string   `json:"package"`
	Channels    []string `json:"channels"`
	Version     string   `json:"version"`
	Installed   string   `json:"installed"`
	Policy      string   `json:"policy"`
	MinimumEdge string   `json:"minimumEdge"`
	V0          bool     `json:"v0"`
	Mode        string   `json:"mode"`
}

var answers = map[string]func(directory string, asked question) any{
	"validate":   validate,
	"render":     render,
	"list":       list,
	"graph":      graph,
	"bundle":     renderBundle,
	"template":   renderTemplate,
	"resolve":    resolveBundle,
	"successors": successors,
	"ranges":     ranges,
	"heads":      heads,
	"add":        addByVersion,
	"index":      changeIndex,
}

func main() {
	logrus.SetOutput(io.Discard)
	var asked question
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	check(decoder.Decode(&asked))
	answer, ok := answers[asked.Ask]
	if !ok {
		check(fmt.Errorf("unknown question %q", asked.Ask))
	}
	directory, err := os.MkdirTemp("", "catalog-")
	check(err)
	defer os.RemoveAll(directory)
	for path, text := range asked.Files {
		write(filepath.Join(directory, path), text)
	}
	if asked.Image != "" {
		cacheIn := image.CatalogCache
		if asked.Ask == "bundle" {
			cacheIn = image.BundleCache
		}
		directory, err = unpack(directory, asked.Image, cacheIn)
		check(err)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(answer(directory, asked)))
}

func write(file, text string) {
	check(os.MkdirAll(filepath.Dir(file), 0o755))
	check(os.WriteFile(file, []byte(text), 0o644))
}

func refused(err error) any {
	return map[string]any{"error": err.Error()}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sortedKeys[Value any](values map[string]Value) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
