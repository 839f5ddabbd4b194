-- List price per hour of the sizes that {uids} ran as, in US dollars, on the days from {from} to {to}, from all lines of the organization
-- with the same SKU: one row per resource and day. A day on which a SKU had several prices has none. Lines without a list price or a SKU
-- do not count. Read by the measurement of savings.
WITH
    lines AS
    (
        SELECT ResourceId, x_Day, if(SkuPriceId = '', SkuId, SkuPriceId) AS sku, ListUnitPrice
        FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = '')
        WHERE sku != '' AND ChargeCategory = 'Usage' AND isNotNull(ListUnitPrice)
            AND (isNotNull(x_UsageHours) OR match(if(empty(ConsumedUnit), PricingUnit, ConsumedUnit), '(?i)^(1 )?(hours?|hrs?)$'))
    )
SELECT own.ResourceId AS resource_uid, own.sku AS sku, own.last_day AS last_day, price.days AS days, price.prices AS prices
FROM
(
    SELECT ResourceId, sku, toString(max(x_Day)) AS last_day FROM lines WHERE ResourceId IN {uids:Array(String)} GROUP BY ResourceId, sku
) AS own
INNER JOIN
(
    SELECT sku, groupArray(toString(x_Day)) AS days, groupArray(toString(price)) AS prices
    FROM (SELECT sku, x_Day, assumeNotNull(any(ListUnitPrice)) AS price FROM lines GROUP BY sku, x_Day HAVING uniqExact(ListUnitPrice) = 1)
    GROUP BY sku
) AS price ON price.sku = own.sku
ORDER BY resource_uid, sku
