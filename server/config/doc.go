// Package config defines the settings of the service.
//
// Each setting is a flag, an environment variable and a key of the configuration file, all with the
// same name:
//
//	--seal-age=5s    SLIPSTREAM_SEAL_AGE=5s    {"seal-age": "5s"}
//
// A flag has precedence over the environment, the environment over the file, and the file over the
// default. A size is in bytes, or has a suffix: 64MiB, 1.5GiB, 10MB.
package config
