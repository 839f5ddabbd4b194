/** Kubernetes quantities: `250m`, `0.5`, `1Gi`, `500M`, `1e3`. */

const scales: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}
const shape = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i))?$/

/** In cores or bytes. Undefined if it is not a quantity, or negative. */
export function quantityOf(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const [, digits, exponent = '', scale] = shape.exec(String(value).slice(0, 64)) ?? []
  if (digits === undefined) return undefined
  const units = Number(`${digits}${exponent}`) * (scale === undefined ? 1 : scales[scale]!)
  return Number.isFinite(units) && units >= 0 ? units : undefined
}

/** Rounded up; differences below a billionth are errors of floating point. */
const upwards = (value: number): number => Math.ceil(Math.round(value * 1e9) / 1e9)

export const millicoresOf = (cores: number): number => upwards(cores * 1000)
export const mebibytesOf = (bytes: number): number => upwards(bytes / 2 ** 20)

/** Gibibytes with three decimal places, for disks. */
export const gibibytesOf = (bytes: number): number => Number((bytes / 2 ** 30).toFixed(3))
