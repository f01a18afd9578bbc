// Package config is what can be set when the service is started.
//
// Each setting is a flag, an environment variable and a key of the configuration file, by one name:
//
//	--seal-age=5s    SLIPSTREAM_SEAL_AGE=5s    {"seal-age": "5s"}
//
// A flag wins over the environment, the environment over the file, and the file over the default. Sizes are bytes, or have a
// suffix: 64MiB, 1.5GiB, 10MB.
package config
