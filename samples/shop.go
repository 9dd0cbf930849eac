// A shop's server: creates charges, checks webhooks, delivers each paid order once. Start it with `go run shop.go`.
package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const item = `{"item_code": "gems-100", "item_name": "100 gems", "amount_value": "12.50", "amount_currency": "USD",
	"partner_reference": "%x"}`

// A panic ends the request: the shopper sees an error, and Cardform sends the event again.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func createCharge() []byte {
	order := make([]byte, 16)
	must(rand.Read(order))
	// The same key gets the same charge if an answer is lost and this is sent again.
	return post("", fmt.Sprintf(item, order), fmt.Sprintf("%x", order))
}

func post(path, body, key string) []byte {
	request := must(http.NewRequest("POST", os.Getenv("CARDFORM_URL")+"/v1/charges"+path, strings.NewReader(body)))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("CARDFORM_SECRET_KEY"))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	answer := must(http.DefaultClient.Do(request))
	defer answer.Body.Close()
	return must(io.ReadAll(answer.Body))
}

// Whether the event is from Cardform, and its time not more than five minutes away.
func isVerified(header http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("CARDFORM_WEBHOOK_SECRET"), "whsec_"))
	sent, noTime := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || len(key) == 0 || noTime != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header.Get("webhook-id"), sent, body)
	right, isRight := []byte("v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))), false
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		isRight = isRight || hmac.Equal([]byte(given), right)
	}
	return isRight
}

// An event can arrive twice. Only the first one creates the file. In a shop, use a unique row of the database.
func deliverOnce(charge, order string) {
	file, err := os.OpenFile("delivered/"+charge, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if !os.IsExist(err) {
		must(must(file, err).WriteString(order))
	}
}

func webhooks(w http.ResponseWriter, r *http.Request) {
	body, event := must(io.ReadAll(r.Body)), map[string]any{}
	if !isVerified(r.Header, body) || json.Unmarshal(body, &event) != nil {
		w.WriteHeader(400)
		return
	}
	if charge := event["data"].(map[string]any); event["type"] == "charge.succeeded" && charge["test"] == nil {
		deliverOnce(charge["id"].(string), charge["partner_reference"].(string))
	}
	w.WriteHeader(204)
}

func main() {
	os.MkdirAll("delivered", 0o755)
	http.HandleFunc("/orders", func(w http.ResponseWriter, _ *http.Request) { w.Write(createCharge()) })
	http.HandleFunc("/orders/", func(w http.ResponseWriter, r *http.Request) {
		// In a shop, check first that this order belongs to the shopper who asks.
		charge := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/orders/"), "/client-secret")
		w.Write(post("/"+url.PathEscape(charge)+"/client-secret", "", ""))
	})
	http.HandleFunc("/webhooks", webhooks)
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "shop.html") })
	listener := must(net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT")))
	fmt.Printf("listening on http://%s\n", listener.Addr())
	panic(http.Serve(listener, nil))
}
