package main

import (
	"context"
	"path/filepath"

	"github.com/operator-framework/operator-controller/internal/shared/util/image"
	"go.podman.io/image/v5/types"
)

// unpack pulls the image of a catalog as catalogd does, or that of a bundle as operator-controller does, from a registry without TLS, and
// returns the directory of its files.
func unpack(directory, reference string, cacheIn func(string) image.Cache) (string, error) {
	puller := image.ContainersImagePuller{SourceCtxFunc: func(context.Context) (*types.SystemContext, error) {
		return &types.SystemContext{DockerInsecureSkipTLSVerify: types.OptionalBoolTrue}, nil
	}}
	_, canonical, _, err := puller.Pull(context.Background(), "image", reference, cacheIn(directory))
	if err != nil {
		return "", err
	}
	return filepath.Join(directory, "image", canonical.Digest().String()), nil
}
