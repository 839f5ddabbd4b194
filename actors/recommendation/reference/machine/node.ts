/** Machines in services of AWS, at prices of the service or of the operator. */
import type { PricedResource } from '#actors/recommendation/rule/contract.ts'
import { nodeNaming, nodesOf, nodeVariant, type NodeService } from '#streams/cloud/reference/aws/node.ts'
import { ec2Sizes } from '#streams/cloud/reference/aws/sizes.ts'
import type { Size, Sizes } from '#streams/cloud/reference/size.ts'
import type { OwnValue, OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import type { MachineCatalogue } from './machine.ts'
import { textAt } from '#actors/recommendation/reference/fact-value.ts'

export const isNodeService = (catalogue: string): catalogue is NodeService => Object.hasOwn(nodeNaming, catalogue)

const variantOf = (service: NodeService, priced: PricedResource): string =>
  nodeVariant(service, textAt(priced, 'specs.engine')) ?? ''

/** The price that an operator set for all engines, otherwise the one that AWS publishes for the engine. */
export function publishedNode(
  book: OwnValueTable,
  service: NodeService,
  name: string,
  priced: PricedResource,
): OwnValue | undefined {
  const variant = variantOf(service, priced)
  return (
    book.find(service, priced.region, name, 'usd_hour') ??
    (variant === '' ? undefined : book.find(service, priced.region, name, `usd_hour_${variant}`))
  )
}

export function nodeCatalogue(service: NodeService, book: OwnValueTable): MachineCatalogue {
  const classes = ec2Sizes()
  const { prefix, suffix } = nodeNaming[service]
  const variants = nodesOf(service, classes)
  const classOf = (name: string): Size | undefined => {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) return undefined
    const size = classes.get(name.slice(prefix.length, name.length - suffix.length))
    // A cache has less memory than its machine.
    return size && { ...size, name, ...(service === 'elasticache' && { memoryGib: undefined }) }
  }
  const own = [...book.names(service)].flatMap((name) => classOf(name) ?? [])
  const of = (priced: PricedResource) => variants.get(variantOf(service, priced))
  const withOwn = (sizes: Sizes | undefined): Size[] => [
    ...(sizes?.values() ?? []),
    ...own.filter(({ name }) => !sizes?.has(name)),
  ]
  const lists = new Map([...variants].map(([variant, sizes]) => [variant, withOwn(sizes)]))
  const ownAlone = withOwn(undefined)
  return {
    find: (name, priced) => of(priced)?.get(name) ?? classOf(name),
    sizes: (priced) => lists.get(variantOf(service, priced)) ?? ownAlone,
    usd: ({ name }, priced) => {
      const listed = publishedNode(book, service, name, priced)
      if (listed) return Number(listed.value)
      return book.hasList(service, priced.region) ? undefined : of(priced)?.get(name)?.usdHour
    },
    surcharge: () => 0,
    copies: (priced) => (service === 'rds' && priced.source('specs.multi_az') === true ? 2 : 1),
    keepsBurst: service !== 'rds',
  }
}
