package main

import (
	"encoding/json"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// lists prints as JSON which lists of a resource kpt merges, and by which keys: `kpt lists apps/v1 Deployment`.
func lists() *cobra.Command {
	return &cobra.Command{Use: "lists", Args: cobra.ExactArgs(2), RunE: func(_ *cobra.Command, args []string) error {
		found := map[string][]string{}
		schema := openapi.SchemaForResourceType(yaml.TypeMeta{APIVersion: args[0], Kind: args[1]})
		if schema != nil {
			walk(schema, nil, nil, found)
		}
		return json.NewEncoder(os.Stdout).Encode(found)
	}}
}

func walk(schema *openapi.ResourceSchema, path, refs []string, found map[string][]string) {
	var names []string
	for name := range schema.Schema.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		property := schema.Schema.Properties[name]
		ref := property.Ref.String()
		if property.Items != nil && property.Items.Schema != nil {
			ref = property.Items.Schema.Ref.String()
		}
		at := append(append([]string{}, path...), name)
		field := schema.Field(name)
		if field == nil || ref != "" && contains(refs, ref) {
			continue
		}
		below := append(append([]string{}, refs...), ref)
		if strategy, keys := field.PatchStrategyAndKeyList(); strings.Contains(strategy, "merge") && field.Elements() != nil {
			found[strings.Join(at, ".")] = keys
		}
		if items := field.Elements(); items != nil {
			at[len(at)-1] += "[]"
			field = items
		}
		walk(field, at, below, found)
	}
}

func contains(refs []string, ref string) bool {
	for _, one := range refs {
		if one == ref {
			return true
		}
	}
	return false
}
