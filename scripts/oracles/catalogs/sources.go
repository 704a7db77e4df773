package main

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/operator-framework/operator-registry/alpha/action"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/template"
	"github.com/operator-framework/operator-registry/pkg/registry"
)

// renderBundle is `opm render` of the directory of a bundle.
func renderBundle(directory string, _ question) any {
	config, err := action.Render{Refs: []string{directory}, Registry: noImages}.Run(context.Background())
	if err != nil {
		return map[string]any{"error": strings.ReplaceAll(err.Error(), directory, "DIR")}
	}
	return map[string]any{"text": yamlOf(*config)}
}

// renderTemplate is `opm alpha render-template`, where each image stands for the text of a catalog, and then `opm validate`.
func renderTemplate(_ string, asked question) any {
	bundle := func(_ context.Context, name string) (*declcfg.DeclarativeConfig, error) {
		text, ok := asked.Images[name]
		if !ok {
			return nil, fmt.Errorf("no image %q", name)
		}
		return declcfg.LoadReader(strings.NewReader(text))
	}
	config, err := renderOnce(asked.Files["template.yaml"], bundle)
	if err != nil {
		// Which of two versions an error compares with the other follows the order of a Go map: of many errors, the first by text.
		errors := []string{err.Error()}
		for range 50 {
			_, again := renderOnce(asked.Files["template.yaml"], bundle)
			errors = append(errors, again.Error())
		}
		return map[string]any{"error": slices.Min(errors)}
	}
	text := yamlOf(*config)
	if packages, ok := judge(*config).(map[string]any); ok {
		packages["text"] = text
		return packages
	}
	return map[string]any{"text": text}
}

func renderOnce(text string, bundle template.BundleRenderer) (*declcfg.DeclarativeConfig, error) {
	kind, reader, err := template.NewRegistry().CreateTemplateBySchema(strings.NewReader(text), bundle)
	if err != nil {
		return nil, err
	}
	return kind.Render(context.Background(), reader)
}

// graphView shows what each bundle of each channel replaces or skips.
func graphView(graph *registry.Package) any {
	channels := map[string]any{}
	for name, channel := range graph.Channels {
		nodes := map[string][]string{}
		for node, below := range channel.Nodes {
			names := []string{}
			for each := range below {
				names = append(names, each.CsvName)
			}
			sort.Strings(names)
			nodes[node.CsvName] = names
		}
		channels[name] = map[string]any{"head": channel.Head.CsvName, "nodes": nodes}
	}
	return map[string]any{"name": graph.Name, "defaultChannel": graph.DefaultChannel, "channels": channels}
}
