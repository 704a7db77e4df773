package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"sort"
	"strings"

	_ "github.com/mattn/go-sqlite3"
	"github.com/operator-framework/operator-registry/pkg/image"
	"github.com/operator-framework/operator-registry/pkg/registry"
	"github.com/operator-framework/operator-registry/pkg/sqlite"
)

// oldBundle is a bundle that says itself which channels it is in.
type oldBundle struct {
	Image          string   `json:"image"`
	Name           string   `json:"name"`
	Package        string   `json:"package"`
	Version        string   `json:"version"`
	Replaces       string   `json:"replaces"`
	Skips          []string `json:"skips"`
	Channels       []string `json:"channels"`
	DefaultChannel string   `json:"defaultChannel"`
}

// step adds images in one batch, deprecates one, or overwrites the first image with the second.
type step struct {
	Add       []string `json:"add"`
	Deprecate string   `json:"deprecate"`
	Overwrite []string `json:"overwrite"`
}

// directoryOf writes the bundle as the directory that an image of it has.
func (one oldBundle) directoryOf(root string) string {
	directory := filepath.Join(root, strings.ReplaceAll(one.Image+one.Name, "/", "_"))
	spec := map[string]any{"version": one.Version, "skips": one.Skips}
	if one.Replaces != "" {
		spec["replaces"] = one.Replaces
	}
	csv, err := json.Marshal(map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1",
		"kind":       "ClusterServiceVersion",
		"metadata":   map[string]any{"name": one.Name},
		"spec":       spec,
	})
	check(err)
	prefix := "operators.operatorframework.io.bundle."
	annotations, err := json.Marshal(map[string]any{"annotations": map[string]string{
		prefix + "package.v1":         one.Package,
		prefix + "channels.v1":        strings.Join(one.Channels, ","),
		prefix + "channel.default.v1": one.DefaultChannel,
	}})
	check(err)
	write(filepath.Join(directory, "manifests/csv.yaml"), string(csv))
	write(filepath.Join(directory, "metadata/annotations.yaml"), string(annotations))
	return directory
}

func (one oldBundle) read(root string) *registry.Bundle {
	input, err := registry.NewImageInput(image.SimpleReference(one.Image), one.directoryOf(root))
	check(err)
	return input.Bundle
}

// heads are the channels' heads and the default channel that `opm registry add --mode replaces` chose.
func heads(root string, asked question) any {
	bundles := []*registry.Bundle{}
	for _, one := range asked.Bundles {
		bundles = append(bundles, one.read(root))
	}
	manifest, err := registry.SemverPackageManifest(bundles)
	if err != nil {
		return refused(err)
	}
	found := map[string]string{}
	for _, channel := range manifest.Channels {
		found[channel.Name] = channel.CurrentCSVName
	}
	return map[string]any{"defaultChannel": manifest.DefaultChannelName, "heads": found}
}

// addByVersion is `opm registry add --mode semver` or `semver-skippatch`, one bundle after the other.
func addByVersion(root string, asked question) any {
	graph := &registry.Package{}
	loader := registry.BundleGraphLoader{}
	for _, one := range asked.Bundles {
		bundle := one.read(root)
		var err error
		annotations := &registry.AnnotationsFile{Annotations: *bundle.Annotations}
		graph, err = loader.AddBundleToGraph(bundle, graph, annotations, asked.Options.Mode == "semver-skippatch")
		if err != nil {
			return refused(err)
		}
	}
	return graphView(graph)
}

// changeIndex takes the steps on a new index, and shows which channels offer which image afterwards.
func changeIndex(root string, asked question) any {
	index := newIndex(root, asked.Bundles)
	for _, each := range asked.Steps {
		if err := index.take(each); err != nil {
			return refused(err)
		}
	}
	return index.view()
}

type index struct {
	root    string
	bundles map[string]oldBundle
	load    sqlite.MigratableLoader
	graph   *sqlite.SQLGraphLoader
	query   *sqlite.SQLQuerier
}

func newIndex(root string, bundles []oldBundle) index {
	database, err := sql.Open("sqlite3", filepath.Join(root, "index.db"))
	check(err)
	load, err := sqlite.NewSQLLiteLoader(database, sqlite.WithEnableAlpha(true))
	check(err)
	check(load.Migrate(context.Background()))
	graph, err := sqlite.NewSQLGraphLoaderFromDB(database)
	check(err)
	byImage := map[string]oldBundle{}
	for _, one := range bundles {
		byImage[one.Image] = one
	}
	return index{root, byImage, load, graph, sqlite.NewSQLLiteQuerierFromDb(database)}
}

func (in index) take(each step) error {
	if each.Deprecate != "" {
		return sqlite.NewSQLDeprecatorForBundles(in.load, []string{each.Deprecate}).Deprecate()
	}
	add := each.Add
	overwritten := map[string][]string{}
	if len(each.Overwrite) == 2 {
		before := in.bundles[each.Overwrite[0]]
		overwritten[before.Package] = []string{before.Name}
		add = each.Overwrite[1:]
	}
	references := map[image.Reference]string{}
	for _, name := range add {
		references[image.SimpleReference(name)] = in.bundles[name].directoryOf(in.root)
	}
	return registry.NewDirectoryPopulator(in.load, in.graph, in.query, references, overwritten).Populate(registry.ReplacesMode)
}

func (in index) view() any {
	bundles, err := in.query.ListBundles(context.Background())
	check(err)
	members, deprecated := []string{}, []string{}
	for _, bundle := range bundles {
		place := bundle.BundlePath + " in " + bundle.ChannelName
		members = append(members, place)
		for _, property := range bundle.Properties {
			if property.Type == registry.DeprecatedType {
				deprecated = append(deprecated, place)
			}
		}
	}
	sort.Strings(members)
	sort.Strings(deprecated)
	return map[string]any{"members": members, "deprecated": deprecated}
}
