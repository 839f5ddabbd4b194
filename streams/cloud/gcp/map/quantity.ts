/** Amounts of memory and processors as Kubernetes and Google write them. */

const mebibytesIn: Readonly<Record<string, number>> = {
  Ki: 1 / 1024,
  Mi: 1,
  Gi: 1024,
  k: 1e3 / 2 ** 20,
  K: 1e3 / 2 ** 20,
  M: 1e6 / 2 ** 20,
  G: 1e9 / 2 ** 20,
  '': 1 / 2 ** 20,
}

/** `512Mi`, `1Gi`, `256M`; undefined if it is none of these. */
export function mebibytesOf(quantity: string | undefined): number | undefined {
  const [, amount, unit = ''] = /^([\d.]+)([KMG]i|[kKMG])?B?$/.exec(quantity ?? '') ?? []
  return amount === undefined ? undefined : Math.round(Number(amount) * mebibytesIn[unit]!)
}

/** `1`, `0.5` or `500m`. */
export function processorsOf(quantity: string | undefined): number | undefined {
  const [, amount, unit] = /^([\d.]+)(m)?$/.exec(quantity ?? '') ?? []
  return amount === undefined ? undefined : Number(amount) / (unit === 'm' ? 1000 : 1)
}
