// Package objects keeps files in an object store, each under its SHA-256: nothing is ever
// overwritten by something else, and branches share what they have in common.
package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// A Store is a place in a bucket that has the objects of one repository.
type Store struct {
	url    string
	bucket *blob.Bucket
}

// The SDK of S3 would keep ten connections that wait for a request, and make new ones for the others
// again and again.
func init() {
	awshttp.DefaultHTTPTransportMaxIdleConnsPerHost = awshttp.DefaultHTTPTransportMaxIdleConns
}

// CheckURL says what is wrong with the URL of a store.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return err
	case u.User != nil:
		return fmt.Errorf("%s holds credentials, and would be committed: take them out, and put them where the provider's own tools look for them (environment variables, a profile, a login)", u.Redacted())
	case !blob.DefaultURLMux().ValidBucketScheme(u.Scheme):
		return fmt.Errorf("%s: no store is known for %q: give one of %s", raw, u.Scheme, strings.Join(blob.DefaultURLMux().BucketSchemes(), "://, ")+"://")
	}
	return nil
}

// Open opens the store at a URL of gocloud.dev/blob. Nothing is asked before it is needed.
func Open(ctx context.Context, raw string) (*Store, error) {
	if err := CheckURL(raw); err != nil {
		return nil, err
	}
	u, _ := url.Parse(raw)
	if u.Scheme == "file" {
		q := u.Query()
		q.Set("no_tmp_dir", "true") // what is renamed must not come from another file system
		q.Set("metadata", "skip")
		u.RawQuery = q.Encode()
	}
	b, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", raw, err)
	}
	return &Store{raw, b}, nil
}

// Close gives up the connections.
func (s *Store) Close() error { return s.bucket.Close() }

const below = "sha256/"

func keyOf(sum string) string { return below + sum[:2] + "/" + sum }

var isKey = regexp.MustCompile(`^` + below + `[0-9a-f]{2}/([0-9a-f]{64})$`)

// Put stores data. It is there whole or not at all.
func (s *Store) Put(ctx context.Context, sum string, data []byte) error {
	// A reader that can seek needs no buffers, which take five megabytes each with S3.
	return s.explain(ctx, s.bucket.Upload(ctx, keyOf(sum), bytes.NewReader(data), &blob.WriterOptions{ContentType: "application/octet-stream"}))
}

// A DamagedError says that an object is not what it is called.
type DamagedError struct{ SHA256, What string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the object %s in the store is damaged: %s", e.SHA256, e.What)
}

// A MissingError says that an object is not in the store, which is there.
type MissingError struct{ SHA256 string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the store has no object %s", e.SHA256)
}

// Get writes an object to w, and returns an error unless it was whole and right.
func (s *Store) Get(ctx context.Context, sum string, w io.Writer) (int64, error) {
	r, err := s.bucket.NewReader(ctx, keyOf(sum), nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		if there, err := s.bucket.IsAccessible(ctx); err == nil && there {
			return 0, &MissingError{sum}
		}
	}
	if err != nil {
		return 0, s.explain(ctx, err)
	}
	defer r.Close()
	hash := sha256.New()
	to := &sink{w: w}
	// The reader would copy itself by a buffer of a megabyte.
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	n, err := io.CopyBuffer(io.MultiWriter(hash, to), struct{ io.Reader }{r}, *buf)
	switch got := hex.EncodeToString(hash.Sum(nil)); {
	case to.err != nil:
		return n, to.err // of the disk
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, &DamagedError{sum, fmt.Sprintf("it broke off after %d bytes", n)}
	case err != nil && strings.Contains(err.Error(), "checksum did not match"):
		return n, &DamagedError{sum, "its checksum differs"} // as the SDK of S3 says
	case err != nil:
		return n, s.explain(ctx, err)
	case got != sum:
		return n, &DamagedError{sum, fmt.Sprintf("its %d bytes have the SHA-256 %s", n, got)}
	}
	return n, nil
}

// buffers are what is copied by.
var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// A sink keeps the error of its writer, to tell it from that of the reader.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.w.Write(p)
	return n, s.err
}

// An Object is one in the store. SHA256 is "" if it is none of ours.
type Object struct {
	Key, SHA256 string
	Size        int64
	Time        time.Time // when it was stored
}

// List calls found with each object, in any order and with one at a time.
func (s *Store) List(ctx context.Context, found func(Object)) error {
	var mu sync.Mutex
	return Each(ctx, 16, 16, func(ctx context.Context, i int) error {
		for it := s.bucket.List(&blob.ListOptions{Prefix: fmt.Sprintf("%s%x", below, i)}); ; {
			o, err := it.Next(ctx)
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return s.explain(ctx, err)
			}
			object := Object{Key: o.Key, Size: o.Size, Time: o.ModTime}
			if m := isKey.FindStringSubmatch(o.Key); m != nil {
				object.SHA256 = m[1]
			}
			mu.Lock()
			found(object)
			mu.Unlock()
		}
	})
}

// few is how many objects are asked for one by one; for more of them, all are listed, a thousand
// with each request.
const few = 64

// Have returns those of these objects that the store has, and maybe more.
func (s *Store) Have(ctx context.Context, sums []string) (map[string]Object, error) {
	have := map[string]Object{}
	if len(sums) > few {
		return have, s.List(ctx, func(o Object) { have[o.SHA256] = o })
	}
	var mu sync.Mutex
	err := Each(ctx, 16, len(sums), func(ctx context.Context, i int) error {
		a, err := s.bucket.Attributes(ctx, keyOf(sums[i]))
		if gcerrors.Code(err) == gcerrors.NotFound {
			return nil
		} else if err != nil {
			// The answer to this has no body, and so no reason.
			if _, _, reason := s.bucket.ListPage(ctx, blob.FirstPageToken, 1, nil); reason != nil {
				err = reason
			}
			return s.explain(ctx, err)
		}
		mu.Lock()
		have[sums[i]] = Object{keyOf(sums[i]), sums[i], a.Size, a.ModTime}
		mu.Unlock()
		return nil
	})
	if err == nil && len(sums) > 0 && len(have) == 0 { // none, or no bucket
		if there, cause := s.bucket.IsAccessible(ctx); cause != nil || !there {
			err = s.explain(ctx, cause)
			if cause == nil {
				err = s.explain(ctx, errNoBucket)
			}
		}
	}
	return have, err
}

// Asking returns what Have returns, for objects that become known while it asks. If many are
// expected, all are listed, which begins now.
func (s *Store) Asking(ctx context.Context, expected int) func(sums []string) (map[string]Object, error) {
	if expected <= few {
		return func(sums []string) (map[string]Object, error) { return s.Have(ctx, sums) }
	}
	have, listed := map[string]Object{}, make(chan error, 1)
	go func() { listed <- s.List(ctx, func(o Object) { have[o.SHA256] = o }) }()
	return func([]string) (map[string]Object, error) { return have, <-listed }
}

// Stored returns when an object was stored, the zero time if it is not there.
func (s *Store) Stored(ctx context.Context, key string) (time.Time, error) {
	a, err := s.bucket.Attributes(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return time.Time{}, nil
	} else if err != nil {
		return time.Time{}, s.explain(ctx, err)
	}
	return a.ModTime, nil
}

// Delete removes an object. It is no error if there is none.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.bucket.Delete(ctx, key); gcerrors.Code(err) != gcerrors.NotFound {
		return s.explain(ctx, err)
	}
	return nil
}

// owner is the object that says which repository a store belongs to.
const owner = "promptecho-store"

// Owner returns the id of the repository that a store belongs to, "" if it is nobody's.
func (s *Store) Owner(ctx context.Context) (string, error) {
	id, err := s.bucket.ReadAll(ctx, owner)
	if gcerrors.Code(err) == gcerrors.NotFound {
		if there, err := s.bucket.IsAccessible(ctx); err == nil && there {
			return "", nil
		}
	}
	return strings.TrimSpace(string(id)), s.explain(ctx, err)
}

// Own says that a store belongs to a repository.
func (s *Store) Own(ctx context.Context, id string) error {
	return s.explain(ctx, s.bucket.WriteAll(ctx, owner, []byte(id+"\n"), nil))
}

var errNoBucket = errors.New("there is no such bucket")

const refused = "the credentials are not those of this store, or may not do this: pull and verify have to list and read, push has to write as well, and gc to delete"

// hints say what to do about what providers answer.
var hints = []struct{ in, hint string }{
	{"expired", "the credentials have expired: log in again, as with aws sso login, gcloud auth application-default login or az login"},
	{"nosuchbucket", "make the bucket, or correct the URL in " + Config},
	{"no such bucket", "make the bucket, or correct the URL in " + Config},
	{"invalidaccesskeyid", refused},
	{"usernotfound", refused},
	{"signaturedoesnotmatch", refused},
	{"accessdenied", refused},
	{"statuscode: 403", refused},
	{"permission denied", "the user of this process may not do this there"},
	{"get credentials", "no credentials were found: log in, as with aws sso login, gcloud auth application-default login or az login"},
	{"connection refused", "nothing listens there: is the endpoint right, and the network up?"},
	{"no such host", "is the network up? Objects in the cache need no network"},
}

// Config is the name of the file that has the URL of the store.
const Config = ".promptecho-store"

// explain returns an error of the provider with the store and what to do.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	text := strings.ToLower(err.Error())
	for _, h := range hints {
		if strings.Contains(text, h.in) {
			return fmt.Errorf("%s: %w\n%s", s.url, err, h.hint)
		}
	}
	return fmt.Errorf("%s: %w", s.url, err)
}
