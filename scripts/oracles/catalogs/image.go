package main

import (
	"context"
	"path/filepath"

	"github.com/operator-framework/operator-controller/internal/shared/util/image"
	"go.podman.io/image/v5/types"
)

// unpack pulls a catalog's image from a registry without TLS as catalogd does, and returns the directory of its files.
func unpack(directory, reference string) (string, error) {
	puller := image.ContainersImagePuller{SourceCtxFunc: func(context.Context) (*types.SystemContext, error) {
		return &types.SystemContext{DockerInsecureSkipTLSVerify: types.OptionalBoolTrue}, nil
	}}
	_, canonical, _, err := puller.Pull(context.Background(), "catalog", reference, image.CatalogCache(directory))
	if err != nil {
		return "", err
	}
	return filepath.Join(directory, "catalog", canonical.Digest().String()), nil
}
