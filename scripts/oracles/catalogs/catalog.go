package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/operator-framework/operator-registry/alpha/action"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/model"
	"github.com/operator-framework/operator-registry/pkg/image"
)

// noImages has none, so that nothing is fetched: every case has its files.
var noImages = &image.MockRegistry{}

// validate is `opm validate`: the errors with their headings, or the packages.
func validate(directory string, _ question) any {
	config, err := declcfg.LoadFS(context.Background(), os.DirFS(directory))
	if err != nil {
		return refused(err)
	}
	return judge(*config)
}

func judge(config declcfg.DeclarativeConfig) any {
	packages, err := declcfg.ConvertToModel(config)
	if err != nil {
		return map[string]any{"errors": leaves(err.Error())}
	}
	return map[string]any{"packages": view(packages)}
}

// leaves are the errors of a printed tree, each behind its headings. Their order in the tree is that of Go's maps.
func leaves(tree string) []string {
	if !strings.HasPrefix(tree, "invalid index:\n") {
		return []string{tree}
	}
	found := []string{}
	lines := strings.Split(tree, "\n")
	headings := []string{}
	for at, line := range lines {
		text := strings.TrimLeft(line, "│├└─ ")
		depth := indentOf(line) / 4
		headings = append(headings[:depth], strings.TrimSuffix(text, ":"))
		isLeaf := at == len(lines)-1 || indentOf(lines[at+1]) <= indentOf(line)
		if isLeaf {
			headings[depth] = text
			found = append(found, strings.Join(headings, " > "))
		}
	}
	sort.Strings(found)
	return found
}

func indentOf(line string) int {
	return len([]rune(line)) - len([]rune(strings.TrimLeft(line, "│├└─ ")))
}

func view(packages model.Model) any {
	all := map[string]any{}
	for name, one := range packages {
		channels := map[string]any{}
		deprecated := map[string]string{}
		for _, channel := range one.Channels {
			channels[channel.Name] = channelView(channel)
			for _, bundle := range channel.Bundles {
				if bundle.Deprecation != nil {
					deprecated[bundle.Name] = bundle.Deprecation.Message
				}
			}
		}
		shown := map[string]any{"defaultChannel": one.DefaultChannel.Name, "channels": channels}
		if one.Deprecation != nil {
			shown["deprecated"] = one.Deprecation.Message
		}
		if len(deprecated) > 0 {
			shown["deprecatedBundles"] = deprecated
		}
		all[name] = shown
	}
	return all
}

func channelView(channel *model.Channel) any {
	head, err := channel.Head()
	check(err)
	edges := []string{}
	for _, bundle := range channel.Bundles {
		add := func(from, by string) {
			if from != "" && from != bundle.Name {
				edges = append(edges, fmt.Sprintf("%s -> %s (%s)", from, bundle.Name, by))
			}
		}
		add(bundle.Replaces, "replaces")
		for _, skip := range bundle.Skips {
			add(skip, "skips")
		}
		if bundle.SkipRange != "" {
			inRange := semver.MustParseRange(bundle.SkipRange)
			for _, other := range channel.Bundles {
				if inRange(other.Version) {
					add(other.Name, "skipRange")
				}
			}
		}
	}
	sort.Strings(edges)
	shown := map[string]any{"head": head.Name, "entries": sortedKeys(channel.Bundles), "edges": edges}
	if channel.Deprecation != nil {
		shown["deprecated"] = channel.Deprecation.Message
	}
	return shown
}

// render is `opm render -o yaml` of a directory, without a verdict on the graph.
func render(directory string, _ question) any {
	config, err := declcfg.LoadFS(context.Background(), os.DirFS(directory))
	if err != nil {
		return refused(err)
	}
	return map[string]any{"text": yamlOf(*config)}
}

func yamlOf(config declcfg.DeclarativeConfig) string {
	var text bytes.Buffer
	check(declcfg.WriteYAML(config, &text))
	return text.String()
}

// list is `opm alpha list` of packages, channels and bundles.
func list(directory string, _ question) any {
	ctx := context.Background()
	packages, err := (&action.ListPackages{IndexReference: directory, Registry: noImages}).Run(ctx)
	if err != nil {
		return refused(err)
	}
	channels, err := (&action.ListChannels{IndexReference: directory, Registry: noImages}).Run(ctx)
	check(err)
	bundles, err := (&action.ListBundles{IndexReference: directory, Registry: noImages}).Run(ctx)
	check(err)
	var texts [3]bytes.Buffer
	check(packages.WriteColumns(&texts[0]))
	check(channels.WriteColumns(&texts[1]))
	check(bundles.WriteColumns(&texts[2]))
	return map[string]any{
		"packages": rows(texts[0].String(), "NAME", "DISPLAY NAME", "DEFAULT CHANNEL"),
		"channels": rows(texts[1].String(), "PACKAGE", "CHANNEL", "HEAD"),
		"bundles":  rows(texts[2].String(), "PACKAGE", "CHANNEL", "BUNDLE", "REPLACES", "SKIPS", "SKIP RANGE", "IMAGE"),
	}
}

// rows cuts a printed table at the places of its headings.
func rows(text string, headings ...string) [][]string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	starts := []int{}
	from := 0
	for _, heading := range headings {
		at := from + strings.Index(lines[0][from:], heading)
		starts = append(starts, at)
		from = at + len(heading)
	}
	found := [][]string{}
	for _, line := range lines[1:] {
		row := []string{}
		for at, start := range starts {
			end := len(line)
			if at+1 < len(starts) && starts[at+1] < end {
				end = starts[at+1]
			}
			row = append(row, strings.TrimSpace(line[min(start, len(line)):end]))
		}
		found = append(found, row)
	}
	return found
}

// graph is `opm alpha render-graph`.
func graph(directory string, asked question) any {
	config, err := declcfg.LoadFS(context.Background(), os.DirFS(directory))
	check(err)
	writer := declcfg.NewMermaidWriter(
		declcfg.WithMinEdgeName(asked.Options.MinimumEdge),
		declcfg.WithSpecifiedPackageName(asked.Options.Package),
		declcfg.WithV0Semantics(asked.Options.V0),
	)
	var text bytes.Buffer
	if err := writer.WriteChannels(*config, &text); err != nil {
		return refused(err)
	}
	return map[string]any{"text": text.String()}
}
