/** Prices of nodes that an organization sets for a cluster of its own. */
import { t, type Static } from '#engine/value/schema.ts'
import type { UsedNode } from '#streams/kubernetes/messages.ts'

const Usd = t.Number({ minimum: 0, maximum: 100_000 })

export const NodePrices = t.Object({
  nodes: t.Optional(
    t.Array(
      t.Object({
        label: t.String({
          maxLength: 512,
          pattern: '^[^=\\s]+=\\S*$',
          description: 'a label of the node: pool=large, or node.kubernetes.io/instance-type=r740',
        }),
        usdHour: Usd,
      }),
      { maxItems: 1000, description: 'prices of whole nodes; the first label that a node has decides' },
    ),
  ),
  vcpuUsdHour: t.Optional(Usd),
  gibUsdHour: t.Optional(Usd),
  gpuUsdHour: t.Optional(Usd),
})
export type NodePrices = Static<typeof NodePrices>

const instanceTypeLabel = 'node.kubernetes.io/instance-type'

/** The node with its price; without one if none is set for it, so that the price tables decide. */
export function withPrice(prices: NodePrices, node: UsedNode, labels: Readonly<Record<string, string>>): UsedNode {
  const { nodes = [], vcpuUsdHour, gibUsdHour, gpuUsdHour } = prices
  const whole = nodes.find(({ label }) => hasLabel(labels, label))
  if (whole) return { ...node, usdHour: whole.usdHour }
  if (vcpuUsdHour === undefined && gibUsdHour === undefined && gpuUsdHour === undefined) return node
  const cpu = node.cpuCores * (vcpuUsdHour ?? 0)
  const gpu = (node.gpus ?? 0) * (gpuUsdHour ?? 0)
  const memory = (node.memoryBytes / 1024 ** 3) * (gibUsdHour ?? 0)
  return { ...node, usdHour: rounded(cpu + gpu + memory), cpuUsdHour: rounded(cpu), gpuUsdHour: rounded(gpu) }
}

/** For usage that does not contain the labels of nodes. */
export const withPriceByType = (prices: NodePrices, node: UsedNode): UsedNode =>
  withPrice(prices, node, node.instanceType === undefined ? {} : { [instanceTypeLabel]: node.instanceType })

function hasLabel(labels: Readonly<Record<string, string>>, label: string): boolean {
  const at = label.indexOf('=')
  const key = label.slice(0, at)
  return Object.hasOwn(labels, key) && labels[key] === label.slice(at + 1)
}

/** As stored: eight decimal places. */
const rounded = (usd: number): number => Math.min(Number(usd.toFixed(8)), 100_000)
