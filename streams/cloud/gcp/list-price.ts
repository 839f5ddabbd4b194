/** Reads list prices of machines with Google's Cloud Billing Catalog: those of a core and of a GiB, by family and region. */
import { t, type Static } from '#engine/value/schema.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { gceSizes, gceUsd, type GcePrice } from '#streams/cloud/reference/gcp/sizes.ts'
import type { ListPrice } from '#streams/cloud/reference/list-price.ts'
import type { GcpSession } from './session/session.ts'

/** Compute Engine, as the catalog calls it. */
const computeEngine = '6F81-5844-456A'
const pageMax = 5000

const more = { additionalProperties: true }
const optionalText = t.Optional(t.String())
const UnitPrice = t.Object({ units: optionalText, nanos: t.Optional(t.Number()), currencyCode: optionalText }, more)
const Sku = t.Object(
  {
    description: optionalText,
    category: t.Optional(t.Object({ usageType: optionalText }, more)),
    serviceRegions: t.Optional(t.Array(t.String())),
    pricingInfo: t.Optional(
      t.Array(
        t.Object(
          {
            pricingExpression: t.Optional(
              t.Object(
                {
                  usageUnit: optionalText,
                  tieredRates: t.Optional(t.Array(t.Object({ unitPrice: t.Optional(UnitPrice) }, more))),
                },
                more,
              ),
            ),
          },
          more,
        ),
      ),
    ),
  },
  more,
)
export type CatalogSku = Static<typeof Sku>
const Skus = t.Object({ skus: t.Optional(t.Array(Sku)), nextPageToken: optionalText }, more)

/** The catalog is one list of all regions: it is read once. */
export async function* readGcpPrices(
  open: (account: CloudAccount, signal?: AbortSignal) => Pick<GcpSession, 'pages'>,
  account: CloudAccount,
  regions: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<readonly ListPrice[]> {
  if (regions.length === 0) return
  const call = {
    service: 'cloudbilling',
    path: `/services/${computeEngine}/skus`,
    query: { currencyCode: 'USD', pageSize: pageMax },
    permission: 'cloudbilling.skus.list',
  } as const
  const parts = new Map<string, Partial<GcePrice>>()
  for await (const { skus = [] } of open(account, signal).pages(call, Skus)) addParts(parts, skus, new Set(regions))
  for (const region of regions) yield machinePrices(region, parts)
}

/** `N2 Instance Core running in Belgium`, `N1 Predefined Instance Ram running in Belgium`. */
const shape = /^(\w+) (?:(?:Predefined|AMD|Arm|Memory-optimized) )?Instance (Core|Ram) running in /
/** Families that descriptions call otherwise. */
const otherwise: readonly (readonly [RegExp, string])[] = [
  [/^Compute optimized (Core|Ram) running in /, 'c2'],
  [/^Memory-optimized Instance (Core|Ram) running in /, 'm1'],
]

/** Of a machine: the family it is for, and whether it is for a core or for a gigabyte. */
function partOf(description: string): { family: string; name: keyof GcePrice } | undefined {
  const toName = (part: string | undefined) => (part === 'Core' ? 'vcpu' : 'gib')
  for (const [named, family] of otherwise) {
    const found = named.exec(description)
    if (found) return { family, name: toName(found[1]) }
  }
  const [, family, part] = shape.exec(description) ?? []
  return family === undefined ? undefined : { family: family.toLowerCase(), name: toName(part) }
}

const unitOf: Readonly<Record<keyof GcePrice, string>> = { vcpu: 'h', gib: 'GiBy.h' }

/** On demand, US dollars per hour; undefined for anything else. */
function priceOf({ description = '', category, pricingInfo = [] }: CatalogSku) {
  const part = partOf(description)
  const { usageUnit, tieredRates = [] } = pricingInfo.at(-1)?.pricingExpression ?? {}
  if (!part || category?.usageType !== 'OnDemand' || usageUnit !== unitOf[part.name]) return undefined
  const usd = usdOf(tieredRates.at(-1)?.unitPrice)
  return usd > 0 ? { ...part, usd } : undefined
}

/** By family and region. Of several prices the highest counts. */
function addParts(
  parts: Map<string, Partial<GcePrice>>,
  skus: readonly CatalogSku[],
  regions: ReadonlySet<string>,
): void {
  for (const sku of skus) {
    const found = priceOf(sku)
    if (!found) continue
    for (const region of sku.serviceRegions ?? []) {
      const key = `${found.family} ${region}`
      const known = parts.get(key) ?? {}
      if (regions.has(region)) parts.set(key, { ...known, [found.name]: Math.max(found.usd, known[found.name] ?? 0) })
    }
  }
}

/** 0 if it is in another currency. */
const usdOf = ({ units = '0', nanos = 0, currencyCode }: Static<typeof UnitPrice> = {}): number =>
  currencyCode === 'USD' ? Number(units) + nanos / 1e9 : 0

/** Accelerators are charged apart: the price of a machine with some is not the sum of its cores and memory. */
function machinePrices(region: string, parts: ReadonlyMap<string, Partial<GcePrice>>): ListPrice[] {
  return [...gceSizes().values()].flatMap((size): ListPrice[] => {
    const { vcpu, gib } = parts.get(`${size.family} ${region}`) ?? {}
    if (vcpu === undefined || gib === undefined || size.isAccelerated) return []
    const usd = gceUsd(size, { vcpu, gib })
    return usd ? [{ kind: 'gce', region, name: size.name, field: 'usd_hour', value: Number(usd.toFixed(6)) }] : []
  })
}
