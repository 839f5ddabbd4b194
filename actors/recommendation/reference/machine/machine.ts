/** Catalogues of machines: sizes with fixed vCPUs and memory. */
import type { PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import type { Size } from '#streams/cloud/reference/size.ts'

export interface MachineCatalogue {
  /** The size of a resource; undefined if unknown. */
  find(name: string, of: PricedResource): Size | undefined
  /**
   * Sizes that may be recommended to the resource, and those of its own family. Resources with the same sizes get the
   * same array.
   */
  sizes(of: PricedResource): readonly Size[]
  /**
   * US dollars per hour of one machine of the size in the resource's region, without licences; undefined if unknown.
   */
  usd(size: Size, of: PricedResource): number | undefined
  /** Surcharge for software, US dollars per vCPU-hour; undefined if unknown. */
  surcharge(of: PricedResource): number | undefined
  /** Factor for the price: 2 if there is a standby. */
  copies(of: PricedResource): number
  /** Whether machines with shared processors are replaced only by such machines, even if no rule says so. */
  readonly keepsBurst: boolean
}

/** The target spec for a size. */
export const specOf = ({ name, vcpus, memoryGib }: Size): TargetSpec => ({
  instance_type: name,
  ...(vcpus !== undefined && { vcpus }),
  ...(memoryGib !== undefined && { memory_gib: memoryGib }),
})

/** Windows Server, US dollars per vCPU-hour: the surcharge of both EC2 and Azure. */
export const windowsUsd = 0.046
