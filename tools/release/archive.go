package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"time"
)

// packArchive returns an archive with one folder: a zip file for Windows, else a compressed tar
// file. All that could differ from one machine to another is fixed: times are that of the commit,
// the owner is root, the first file can be executed and the others can be read.
func packArchive(p platform, folder string, content []file, at time.Time) (file, error) {
	if p.os == "windows" {
		data, err := packZip(folder, content, at)
		return file{folder + ".zip", data}, err
	}
	data, err := packTar(folder, content, at)
	return file{folder + ".tar.gz", data}, err
}

// mode returns the permissions of a file of an archive, whose first one is the binary.
func mode(index int) int64 {
	if index == 0 {
		return 0o755
	}
	return 0o644
}

func packTar(folder string, content []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zipped)
	for i, f := range content {
		err := w.WriteHeader(&tar.Header{
			Name:    path.Join(folder, f.name),
			Mode:    mode(i),
			Size:    int64(len(f.data)),
			ModTime: at,
			Uname:   "root",
			Gname:   "root",
			Format:  tar.FormatUSTAR,
		})
		if err != nil {
			return nil, err
		}
		_, err = w.Write(f.data)
		if err != nil {
			return nil, err
		}
	}
	err = w.Close()
	if err != nil {
		return nil, err
	}
	err = zipped.Close()
	return b.Bytes(), err
}

func packZip(folder string, content []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, f := range content {
		header := &zip.FileHeader{
			Name:     path.Join(folder, f.name),
			Method:   zip.Deflate,
			Modified: at,
		}
		header.SetMode(fs.FileMode(mode(i)))
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		_, err = entry.Write(f.data)
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
