package atoll

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1" // the handshake of RFC 6455 wants it; nothing is kept safe by it
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"sync"
)

const (
	maxMessage  = 16 << 20
	frameText   = 1
	frameBinary = 2
	frameClose  = 8
	framePing   = 9
	framePong   = 10
)

// webSocket is as much of RFC 6455 as a terminal needs. One goroutine reads; any may write.
type webSocket struct {
	stream io.ReadWriteCloser
	reader *bufio.Reader
	write  sync.Mutex
}

func (c *Client) openWebSocket(ctx context.Context, path string) (*webSocket, error) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:])
	key := base64.StdEncoding.EncodeToString(nonce[:])
	request := &call{method: http.MethodGet, path: path}
	request.set("Connection", "Upgrade").set("Upgrade", "websocket").set("Sec-WebSocket-Version", "13").set("Sec-WebSocket-Key", key)
	answer, err := c.open(ctx, request)
	if err != nil {
		return nil, err
	}
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	wrapped, _ := answer.Body.(*released)
	stream, ok := wrapped.ReadCloser.(io.ReadWriteCloser)
	if !ok || answer.StatusCode != http.StatusSwitchingProtocols ||
		answer.Header.Get("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(sum[:]) {
		_ = answer.Body.Close()
		return nil, c.connectionError(errors.New("the answer is no WebSocket"))
	}
	return &webSocket{stream: stream, reader: bufio.NewReader(stream)}, nil
}

func (w *webSocket) close() error { return w.stream.Close() }

// send writes one message, masked as the protocol wants it of clients.
func (w *webSocket) send(kind byte, data []byte) error {
	frame := []byte{0x80 | kind}
	switch size := len(data); {
	case size < 126:
		frame = append(frame, 0x80|byte(size))
	case size < 65536:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(size))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(size))
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:])
	frame = append(frame, mask[:]...)
	for i, one := range data {
		frame = append(frame, one^mask[i%4])
	}
	w.write.Lock()
	defer w.write.Unlock()
	_, err := w.stream.Write(frame)
	return err
}

// receive gives the next message; io.EOF when the server has closed. Pings are answered.
func (w *webSocket) receive() (kind byte, message []byte, err error) {
	for {
		code, last, data, err := w.frame(len(message))
		if err != nil {
			return 0, nil, err
		}
		switch code {
		case framePing:
			if err := w.send(framePong, data); err != nil {
				return 0, nil, err
			}
			continue
		case framePong:
			continue
		case frameClose:
			_ = w.send(frameClose, data[:min(2, len(data))])
			return 0, nil, io.EOF
		case frameText, frameBinary:
			kind, message = code, data
		case 0:
			message = append(message, data...)
		default:
			return 0, nil, errors.New("a frame of an unknown kind")
		}
		if last {
			return kind, message, nil
		}
	}
}

func (w *webSocket) frame(before int) (code byte, last bool, data []byte, err error) {
	var head [2]byte
	if _, err = io.ReadFull(w.reader, head[:]); err != nil {
		return
	}
	size := uint64(head[1] & 127)
	var more [8]byte
	switch size {
	case 126:
		_, err = io.ReadFull(w.reader, more[6:])
		size = binary.BigEndian.Uint64(more[:])
	case 127:
		_, err = io.ReadFull(w.reader, more[:])
		size = binary.BigEndian.Uint64(more[:])
	}
	if err != nil {
		return
	}
	if head[1]&0x80 != 0 || size > uint64(maxMessage-before) {
		err = errors.New("a message is masked or larger than 16 MiB")
		return
	}
	data = make([]byte, size)
	_, err = io.ReadFull(w.reader, data)
	return head[0] & 15, head[0]&0x80 != 0, data, err
}
