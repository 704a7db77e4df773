package main

import (
	"context"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/blang/semver/v4"
	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-controller/internal/operator-controller/bundleutil"
	"github.com/operator-framework/operator-controller/internal/operator-controller/catalogmetadata/filter"
	"github.com/operator-framework/operator-controller/internal/operator-controller/resolve"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// packageOf loads the documents of one package, as the resolver gets them of a catalog.
func packageOf(directory, name string) *declcfg.DeclarativeConfig {
	all, err := declcfg.LoadFS(context.Background(), os.DirFS(directory))
	check(err)
	all.Packages = slices.DeleteFunc(all.Packages, func(each declcfg.Package) bool { return each.Name != name })
	all.Channels = slices.DeleteFunc(all.Channels, func(each declcfg.Channel) bool { return each.Package != name })
	all.Bundles = slices.DeleteFunc(all.Bundles, func(each declcfg.Bundle) bool { return each.Package != name })
	all.Deprecations = slices.DeleteFunc(all.Deprecations, func(each declcfg.Deprecation) bool { return each.Package != name })
	return all
}

// installedOf is the metadata that a ClusterExtension has of its bundle. A bundle that the catalog lacks has the version in its name.
func installedOf(config *declcfg.DeclarativeConfig, name string) *ocv1.BundleMetadata {
	if name == "" {
		return nil
	}
	for _, bundle := range config.Bundles {
		if bundle.Name == name {
			release, err := bundleutil.GetVersionAndRelease(bundle)
			check(err)
			metadata := bundleutil.MetadataFor(bundle.Name, *release)
			return &metadata
		}
	}
	_, version, _ := strings.Cut(name, ".v")
	return &ocv1.BundleMetadata{Name: name, Version: version}
}

func resolveBundle(directory string, asked question) any {
	config := packageOf(directory, asked.Options.Package)
	installed := installedOf(config, asked.Options.Installed)
	list := func(context.Context, ...client.ListOption) ([]ocv1.ClusterCatalog, error) {
		return []ocv1.ClusterCatalog{{}}, nil
	}
	get := func(context.Context, *ocv1.ClusterCatalog, string) (*declcfg.DeclarativeConfig, error) {
		return config, nil
	}
	resolver := resolve.CatalogResolver{WalkCatalogsFunc: resolve.CatalogWalker(list, get)}
	extension := &ocv1.ClusterExtension{Spec: ocv1.ClusterExtensionSpec{Source: ocv1.SourceConfig{
		SourceType: "Catalog",
		Catalog: &ocv1.CatalogFilter{
			PackageName:             asked.Options.Package,
			Channels:                asked.Options.Channels,
			Version:                 asked.Options.Version,
			UpgradeConstraintPolicy: ocv1.UpgradeConstraintPolicy(asked.Options.Policy),
		},
	}}}
	bundle, _, _, err := resolver.Resolve(context.Background(), extension, installed)
	if err != nil {
		return map[string]any{"resolved": nil, "reason": err.Error()}
	}
	return map[string]any{"resolved": bundle.Name}
}

// successors are the bundles that an installation may move to, with the installed one.
func successors(directory string, asked question) any {
	config := packageOf(directory, asked.Options.Package)
	isSuccessor, err := filter.SuccessorsOf(*installedOf(config, asked.Options.Installed), config.Channels...)
	if err != nil {
		return refused(err)
	}
	names := []string{}
	for _, bundle := range config.Bundles {
		if isSuccessor(bundle) {
			names = append(names, bundle.Name)
		}
	}
	sort.Strings(names)
	return map[string]any{"successors": names}
}

// ranges asks the library of both tools which versions are in which range.
func ranges(_ string, asked question) any {
	rows := []any{}
	for _, text := range asked.Ranges {
		rows = append(rows, matches(text, asked.Versions))
	}
	return map[string]any{"rows": rows}
}

func matches(text string, versions []string) (row map[string]any) {
	row = map[string]any{"range": text}
	defer func() {
		if recover() != nil {
			row["panics"] = true
			delete(row, "matches")
		}
	}()
	inRange, err := semver.ParseRange(text)
	if err != nil {
		row["error"] = err.Error()
		return row
	}
	found := []string{}
	for _, version := range versions {
		if inRange(semver.MustParse(version)) {
			found = append(found, version)
		}
	}
	row["matches"] = found
	return row
}
