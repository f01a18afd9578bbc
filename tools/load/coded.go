package load

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/schema"
)

// telemetry is the content of a synthetic request, in the types of telemetrySchema. This schema
// must be registered with the service before the first request.
type telemetry struct {
	Time              []int64
	Host              []string
	Value, Idle, User []float64
}

var telemetrySchema = schema.Struct(
	schema.F("time", func(t *telemetry) *[]int64 { return &t.Time }, schema.List(schema.H32, schema.I64)),
	schema.F("host", func(t *telemetry) *[]string { return &t.Host }, schema.List(schema.H32, schema.Str8)),
	schema.F("value", func(t *telemetry) *[]float64 { return &t.Value }, schema.List(schema.H32, schema.F64)),
	schema.F("cpu_idle", func(t *telemetry) *[]float64 { return &t.Idle }, schema.List(schema.H32, schema.F64)),
	schema.F("cpu_user", func(t *telemetry) *[]float64 { return &t.User }, schema.List(schema.H32, schema.F64)))

const schemaName = "slipstream-load"

// codedType returns the Content-Type for bodies that are encoded with the schema.
func codedType() string {
	return fmt.Sprintf("application/x-slipstream-schema; schema=%s; fingerprint=%x", schemaName, telemetrySchema.NamedFingerprint())
}

// register registers the schema with the service.
func (t *target) register(ctx context.Context) error {
	definition, err := json.Marshal(telemetrySchema.Shape())
	if err != nil {
		return err
	}
	c := conn{target: t, timeout: flushTimeout}
	defer c.close()
	if err := c.open(ctx, time.Now()); err != nil {
		return fmt.Errorf("registering the schema: %w", err)
	}
	head := t.appendHead(nil, "PUT", "/v1/schemas/"+schemaName, "Content-Type: application/json\r\n", len(definition))
	switch r, err := c.exchange(append(head, definition...)); {
	case err != nil:
		return fmt.Errorf("registering the schema: %w", err)
	case !r.ok():
		return fmt.Errorf("registering the schema: %s/v1/schemas/%s answered %d: %s", t.base, schemaName, r.status, r.text)
	}
	return nil
}

// coded writes the batch as a message of the schema. The batch must be synthetic. The message
// begins with the number of times, followed by the times.
func (b *body) coded(batch *column.Batch) {
	t := telemetry{
		Time: batch.Find("time").Ints, Value: batch.Find("value").Floats, Idle: batch.Find("cpu_idle").Floats, User: batch.Find("cpu_user").Floats,
	}
	hosts := batch.Find("host")
	for row := range batch.Rows {
		t.Host = append(t.Host, string(hosts.StringAt(row)))
	}
	text, err := telemetrySchema.Append(nil, &t)
	b.keep(err)
	b.Write(text)
	b.times = slots{first: 4, stride: 8, little: true}
}
