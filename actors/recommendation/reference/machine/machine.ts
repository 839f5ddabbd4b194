/** Catalogues of machines: sizes with vCPUs and memory that are taken as a whole. */
import type { PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import type { Size } from '#streams/cloud/reference/size.ts'

export interface MachineCatalogue {
  /** The size a resource is of; undefined where it is not known. */
  find(name: string, of: PricedResource): Size | undefined
  /** Sizes that may be recommended to the resource, and those of its own family: one and the same list for all that have the same. */
  sizes(of: PricedResource): readonly Size[]
  /** US dollars an hour of one of the size in the resource's region, without licences; undefined where it is not known. */
  usd(size: Size, of: PricedResource): number | undefined
  /** US dollars an hour that come on top of each vCPU, for software; undefined where the price of the software is not known. */
  surcharge(of: PricedResource): number | undefined
  /** How many the price of one is to be taken by: 2 where one stands by. */
  copies(of: PricedResource): number
  /** Whether machines whose processor is shared are recommended to those of their kind alone, also where no rule says so. */
  readonly keepsBurst: boolean
}

/** What a resource of the size would have. */
export const specOf = ({ name, vcpus, memoryGib }: Size): TargetSpec => ({
  instance_type: name,
  ...(vcpus !== undefined && { vcpus }),
  ...(memoryGib !== undefined && { memory_gib: memoryGib }),
})

/** Windows Server, US dollars for a vCPU-hour: what both EC2 and Azure ask on top of their prices. */
export const windowsUsd = 0.046
