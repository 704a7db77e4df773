package main

import (
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/operator-framework/operator-registry/pkg/lib/bundle"
	log "github.com/sirupsen/logrus"
)

// validateByOpm is `opm alpha bundle validate` of an unpacked image: the format first, then the content. A directory of manifests alone is
// validated by its content.
func validateByOpm(directory string) any {
	logger := log.New()
	logger.SetOutput(io.Discard)
	validator := bundle.NewImageValidator(nil, log.NewEntry(logger), "")
	manifests := filepath.Join(directory, "manifests")
	found := []string{}
	if _, err := os.Stat(filepath.Join(directory, "metadata")); err == nil {
		found = append(found, messages(validator.ValidateBundleFormat(directory))...)
	} else {
		manifests = directory
	}
	found = append(found, messages(validator.ValidateBundleContent(manifests))...)
	for at, message := range found {
		found[at] = strings.ReplaceAll(message, directory+"/", "")
	}
	// It goes through annotations in any order.
	sort.Strings(found)
	return map[string]any{"errors": found}
}

func messages(err error) []string {
	all := []string{}
	if invalid, ok := err.(bundle.ValidationError); ok {
		for _, each := range invalid.Errors {
			all = append(all, each.Error())
		}
	} else if err != nil {
		all = append(all, err.Error())
	}
	return all
}
