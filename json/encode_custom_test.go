package json

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// acting is a value whose MarshalJSON calls do.
type acting struct{ do func() ([]byte, error) }

func (a acting) MarshalJSON() ([]byte, error) { return a.do() }

// A panic in a method reaches the caller unchanged. An encoder that was in use at that time is not
// reused.
func TestPanickingMethods(t *testing.T) {
	bad := acting{func() ([]byte, error) { panic(io.ErrNoProgress) }}
	good := map[string]any{"a": []any{1, "x"}, "b": map[string]any{"c": 1.5}}
	want, _ := json.Marshal(good)
	for range 50 {
		func() {
			defer func() {
				if r := recover(); r != io.ErrNoProgress {
					t.Errorf("a panic with %v", r)
				}
			}()
			Marshal(map[string]any{"deep": []any{good, map[string]any{"x": &bad}}})
		}()
		if _, err := Marshal([]any{good, make(chan int)}); err == nil {
			t.Error("no error")
		}
		if got, err := Marshal(good); string(got) != string(want) || err != nil {
			t.Fatalf("%s %v", got, err)
		}
	}
}

// A method may end its goroutine. Later calls are not affected.
func TestExitingMethod(t *testing.T) {
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		Marshal([]any{map[string]any{"a": acting{func() ([]byte, error) { runtime.Goexit(); return nil, nil }}}})
		t.Error("it goes on")
	}()
	wait.Wait()
	encodesAs(t, "after it", map[string]any{"a": 1})
}

// A method may call Marshal. An error of that call does not affect the outer call.
func TestNestedMarshal(t *testing.T) {
	inner := acting{func() ([]byte, error) {
		if _, err := Marshal([]any{1, make(chan int)}); err == nil {
			return nil, errors.New("no error")
		}
		return Marshal(map[string]any{"in": []string{"<", strings.Repeat("x", 5000)}})
	}}
	v := []any{map[string]any{"a": inner, "b": 1, "c": inner}, inner}
	want, wantErr := json.Marshal(v)
	for range 3 {
		got, err := Marshal(v)
		if diff := differs(got, err, want, wantErr); diff != "" {
			t.Error(diff)
		}
	}
}

// Encoding stops at the first error. Later methods are not called.
func TestFirstError(t *testing.T) {
	calls := 0
	count := acting{func() ([]byte, error) { calls++; return []byte("1"), nil }}
	fails := acting{func() ([]byte, error) { return nil, io.ErrUnexpectedEOF }}
	b, err := Marshal([]any{count, []acting{count, fails, count}, count})
	wantCalls := 2
	if OnV2 {
		wantCalls = 4 // encoding/json is called for its error
	}
	if calls != wantCalls || b != nil || !errors.Is(err, io.ErrUnexpectedEOF) && !OnV2 {
		t.Errorf("%d calls, %q, %v", calls, b, err)
	}
	if OnV2 {
		return // the error is encoding/json's own
	}
	var failed *json.MarshalerError
	if !errors.As(err, &failed) || failed.Type != reflect.TypeFor[acting]() || failed.Err != io.ErrUnexpectedEOF {
		t.Errorf("%#v", err)
	}
}

// Several goroutines may encode at once, including types that are new to this package.
func TestEncodeConcurrently(t *testing.T) {
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 60 {
				typ := reflect.StructOf([]reflect.StructField{
					{Name: "A", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(fmt.Sprintf(`json:"a%d"`, i))},
					{Name: "R", Type: reflect.TypeFor[*recursive]()},
					{Name: "M", Type: reflect.TypeFor[map[string]any]()},
				})
				v := reflect.New(typ)
				v.Elem().Field(0).SetString(fmt.Sprint(g))
				v.Elem().Field(1).Set(reflect.ValueOf(&recursive{Any: i}))
				v.Elem().Field(2).Set(reflect.ValueOf(map[string]any{"g": g, "i": i, "time": time.Unix(int64(i), 0).UTC()}))
				encodesAs(t, "concurrently", v.Interface())
			}
		})
	}
	wait.Wait()
}
