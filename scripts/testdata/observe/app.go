// Package app asks in all the ways in which programs ask.
package app

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Ask sends a request.
func Ask(ctx context.Context, c *http.Client, url string) {
	req, err := http.NewRequestWithContext(ctx, "POST", url, nil)
	if err != nil {
		panic(err)
	}
	if resp, err := c.Do(req); err == nil {
		resp.Body.Close()
	}
}

// Background asks in a goroutine of its own and one of that.
func Background(c *http.Client, url string) (done chan bool) {
	done = make(chan bool)
	go func() {
		go func() {
			Ask(context.Background(), c, url)
			close(done)
		}()
	}()
	return done
}

// Later asks when a timer has run out.
func Later(c *http.Client, url string) (done chan bool) {
	done = make(chan bool)
	time.AfterFunc(time.Millisecond, func() {
		Ask(context.Background(), c, url)
		close(done)
	})
	return done
}

// A Pool has workers that ask.
type Pool struct {
	Jobs chan Job
}

// A Job is a function, or a URL that is asked.
type Job struct {
	Func func()
	Ctx  context.Context
	URL  string
	Done chan bool
}

// NewPool starts the workers.
func NewPool(c *http.Client) *Pool {
	p := &Pool{make(chan Job)}
	for range 4 {
		go func() {
			for job := range p.Jobs {
				if job.Func != nil {
					job.Func()
				} else {
					Ask(job.Ctx, c, job.URL)
				}
				close(job.Done)
			}
		}()
	}
	return p
}

// Run has a worker do a job.
func (p *Pool) Run(job Job) {
	job.Done = make(chan bool)
	if job.Ctx == nil {
		job.Ctx = context.Background()
	}
	p.Jobs <- job
	<-job.Done
}

var (
	lazy     *Pool
	lazyOnce sync.Once
)

// Lazy returns a pool that the first who wants it starts.
func Lazy(c *http.Client) *Pool {
	lazyOnce.Do(func() { lazy = NewPool(c) })
	return lazy
}
