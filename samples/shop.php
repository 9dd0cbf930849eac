<?php // A shop's server: creates charges, checks webhooks, delivers each paid order once. Start it with `php -S 127.0.0.1:3000 shop.php`.
declare(strict_types=1);

function create_charge(): void
{
    $order = bin2hex(random_bytes(16));
    $item = ['item_code' => 'gems-100', 'item_name' => '100 gems', 'amount_value' => '12.50', 'amount_currency' => 'USD'];
    // The same key gets the same charge if an answer is lost and this is sent again.
    pass('', json_encode($item + ['partner_reference' => $order]), ["Idempotency-Key: $order"]);
}

/** Calls the merchant API and passes its answer on. */
function pass(string $path, string $body = '', array $headers = []): void
{
    $answer = file_get_contents(getenv('CARDFORM_URL') . "/v1/charges$path", false, stream_context_create(['http' => [
        'method' => 'POST',
        'ignore_errors' => true,
        'header' => ['Authorization: Bearer ' . getenv('CARDFORM_SECRET_KEY'), 'Content-Type: application/json', ...$headers],
        'content' => $body,
    ]]));
    header('Content-Type: application/json');
    http_response_code($answer === false ? 502 : (int) explode(' ', $http_response_header[0])[1]);
    echo $answer;
}

/** The event; null if it is not from Cardform, or its time is more than five minutes away. */
function verified(string $body): ?array
{
    [$id, $sent, $signatures] = array_map(fn ($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
    $secret = (string) getenv('CARDFORM_WEBHOOK_SECRET');
    if ($secret === '' || !ctype_digit($sent) || abs(time() - (int) $sent) > 300) {
        return null;
    }
    $key = base64_decode(str_replace('whsec_', '', $secret));
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $key, true));
    $matching = array_filter(explode(' ', $signatures), fn ($given) => hash_equals($right, $given));
    return $matching === [] ? null : json_decode($body, true);
}

/** An event can arrive twice. Only the first one creates the file. In a shop, use a unique row of the database. */
function deliver_once(array $charge): void
{
    is_dir('delivered') || mkdir('delivered');
    $name = "delivered/{$charge['id']}";
    if (($file = @fopen($name, 'x')) !== false) {
        fwrite($file, $charge['partner_reference']);
    } elseif (!file_exists($name)) {
        throw new RuntimeException("cannot write $name"); // The answer is a 500, and Cardform sends the event again.
    }
}

$path = $_SERVER['REQUEST_METHOD'] . ' ' . $_SERVER['REQUEST_URI'];
if ($path === 'GET /') {
    readfile('shop.html');
} elseif ($path === 'POST /orders') {
    create_charge();
} elseif (preg_match('#^POST /orders/(\w+)/client-secret$#', $path, $order)) {
    pass("/$order[1]/client-secret"); // In a shop, check first that this order belongs to the shopper who asks.
} else {
    $event = $path === 'POST /webhooks' ? verified(file_get_contents('php://input')) : null;
    if (($event['type'] ?? '') === 'charge.succeeded' && !isset($event['data']['test'])) {
        deliver_once($event['data']);
    }
    http_response_code($event === null ? 400 : 204);
}
