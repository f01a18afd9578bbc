package json

import "time"

// These are the types and values of the tiny messages, and of the records of a stream.

type event struct {
	ID    int64   `json:"id"`
	Kind  string  `json:"kind"`
	Time  int64   `json:"ts"`
	OK    bool    `json:"ok"`
	Value float64 `json:"v"`
}

type order struct {
	ID     int64     `json:"id"`
	Type   string    `json:"type"`
	User   buyer     `json:"user"`
	Amount float64   `json:"amount"`
	At     time.Time `json:"at"`
}

type buyer struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type sample struct {
	Host    string    `json:"host"`
	Region  string    `json:"region"`
	Seq     int64     `json:"seq"`
	Tags    []string  `json:"tags"`
	Values  []float64 `json:"values"`
	Message string    `json:"message"`
}

type remark struct {
	ID   int64  `json:"id"`
	From string `json:"from"`
	Text string `json:"text"`
}

func eventValue() event {
	return event{ID: 184_467, Kind: "clicked", Time: 1_767_225_600, OK: true, Value: 0.75}
}

func orderValue() order {
	return order{
		ID: 184_467, Type: "order.paid", User: buyer{ID: 4711, Name: "Ada Lovelace"}, Amount: 129.5,
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func sampleValue() sample {
	return sample{
		Host: "host-0042.internal", Region: "eu-central-1", Seq: 1_767_225_600_123, Tags: []string{"production", "edge", "database"},
		Values: []float64{0.5, 12.25, 99.75, 3}, Message: "connection accepted from 10.1.42.17:50112",
	}
}

func remarkValue() remark {
	return remark{ID: 4711, From: "Zoë", Text: "\"5 < 6\", he said,\n\tand wrote C:\\temp\\notes & more."}
}
