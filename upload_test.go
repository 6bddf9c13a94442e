package promptecho_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
)
type zeros struct{}
func (zeros) Read(p []byte)(int,error){clear(p);return len(p),nil}

func TestGigabyte(t *testing.T) {
	t.Setenv("CI", "")
	s:=httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,r *http.Request){n,_:=io.Copy(io.Discard,r.Body); w.Header().Set("Content-Type","application/json"); fmt.Fprintf(w,`{"bytes":%d}`,n)}))
	defer s.Close()
	file:=filepath.Join(t.TempDir(),"a.yaml")
	do:=func(c *http.Client, size int64){
		pr,pw:=io.Pipe(); mw:=multipart.NewWriter(pw)
		go func(){ mw.WriteField("model","whisper-1"); w,_:=mw.CreateFormFile("file","x.mp3"); io.Copy(w,io.LimitReader(zeros{},size)); mw.Close(); pw.Close()}()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		st:=time.Now()
		resp,err:=c.Post(s.URL+"/v1/audio/transcriptions",mw.FormDataContentType(),pr)
		if err!=nil{t.Fatal(err)}
		b,_:=io.ReadAll(resp.Body); resp.Body.Close()
		runtime.ReadMemStats(&after)
		t.Log(resp.Status, string(b), time.Since(st), (after.Sys-before.Sys)>>20, (after.HeapSys-before.HeapSys)>>20)
	}
	do(s.Client(),1<<30)
	for _,m:=range []promptecho.Mode{promptecho.ModeOnce,promptecho.ModeNone, promptecho.ModeUpdate} {
		rec,err:=promptecho.Open(file,promptecho.InMode(m),promptecho.Alias(s.URL,"whisper"))
		if err!=nil {t.Fatal(err)}
		size:=int64(1<<30)
		if m==promptecho.ModeUpdate{size=1<<29}
		do(rec.Client(),size)
		if err:=rec.Close();err!=nil{t.Fatal(err)}
		data,_:=os.ReadFile(file)
		fmt.Println(string(data))
	}
}
var _ = strings.ToLower
var _ = bytes.NewReader
var _ = sha256.New
