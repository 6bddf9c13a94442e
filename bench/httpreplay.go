package bench

import (
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/google/go-replayers/httpreplay"
)

// httpReplay is go-replayers. It works through a proxy on the loopback interface
// also where it is used as a library, so upstream has to be a server when it
// records. The recording belongs to that server's address, which is kept where the
// library offers to keep such things and asked for in replay.
func httpReplay() Contender {
	return Contender{
		Name:    "httpreplay",
		OneShot: true,
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			server := httptest.NewServer(serve(upstream))
			addr := server.Listener.Addr().String()
			r, err := httpreplay.NewRecorder(file, []byte(addr))
			if err != nil {
				server.Close()
				return nil, err
			}
			client := r.Client()
			return roundTripper{redirect(client, addr), func() error {
				client.CloseIdleConnections()
				err := r.Close()
				go wake(r.ProxyURL().Host)
				server.Close()
				return err
			}}, nil
		},
		Replay: func(file string, _ bool) (Session, error) {
			r, err := httpreplay.NewReplayer(file)
			if err != nil {
				return nil, err
			}
			client := r.Client()
			return roundTripper{redirect(client, string(r.Initial())), func() error {
				client.CloseIdleConnections()
				err := r.Close()
				go wake(r.ProxyURL().Host)
				return err
			}}, nil
		},
	}
}

// serve is a server that answers what upstream answers.
func serve(upstream http.RoundTripper) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := upstream.RoundTrip(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for k, vs := range resp.Header {
			w.Header()[k] = vs
		}
		w.WriteHeader(resp.StatusCode)
		buf := make([]byte, 32<<10)
		for {
			n, err := resp.Body.Read(buf)
			w.Write(buf[:n])
			if resp.ContentLength < 0 {
				w.(http.Flusher).Flush()
			}
			if err != nil {
				return
			}
		}
	})
}

// redirect sends requests to addr through the transport of client.
func redirect(client *http.Client, addr string) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		to, u := *req, *req.URL
		u.Host, to.Host = addr, addr
		to.URL = &u
		return client.Transport.RoundTrip(&to)
	}
}

// wake makes a closed proxy notice that it is closed. It goes on listening until
// the next connection, so thousands of them would use up the file descriptors.
func wake(addr string) {
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
	}
}
