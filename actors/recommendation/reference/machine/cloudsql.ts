/** Cloud SQL: custom machines with any even number of vCPUs, and memory within limits per vCPU. */
import type { Fact, PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import { leastOf, peakOf, textAt } from '#actors/recommendation/reference/fact-value.ts'

/** US dollars for a vCPU-hour and a GiB-hour of the edition Enterprise in us-central1. */
const usdVcpu = 0.0413
const usdGib = 0.007

/** Limits of the edition Enterprise, GiB. */
const memoryMin = 3.75
const memoryStep = 0.25
const memoryMaxByVcpu = 6.5
const memoryMinByVcpu = 0.9
const vcpusMax = 96

/** Sizes of the edition Enterprise Plus, with 8 GiB for each vCPU. */
const plusVcpus = [2, 4, 8, 16, 32, 48, 64, 80, 96, 128]
const plusGibByVcpu = 8

interface Machine {
  readonly edition: 'ENTERPRISE' | 'ENTERPRISE_PLUS'
  readonly vcpus: number
  readonly memoryGib: number
}

const gibOf: Readonly<Record<string, number>> = { standard: 3.75, highmem: 6.5 }

/** Parses the name of a tier; undefined for shared tiers. */
function machineOf(tier: string): Machine | undefined {
  const [, custom, mib] = /^db-custom-(\d+)-(\d+)$/.exec(tier) ?? []
  if (custom !== undefined) return { edition: 'ENTERPRISE', vcpus: Number(custom), memoryGib: Number(mib) / 1024 }
  const [, kind, standard] = /^db-n1-(standard|highmem)-(\d+)$/.exec(tier) ?? []
  if (kind !== undefined)
    return { edition: 'ENTERPRISE', vcpus: Number(standard), memoryGib: Number(standard) * gibOf[kind]! }
  const plus = Number(/^db-perf-optimized-N-(\d+)$/i.exec(tier)?.[1])
  return plus > 0 ? { edition: 'ENTERPRISE_PLUS', vcpus: plus, memoryGib: plus * plusGibByVcpu } : undefined
}

export function fitCloudSql(need: Readonly<Record<string, Fact>>, of: PricedResource): TargetSpec | undefined {
  const now = machineOf(of.instanceType)
  if (!now || !agrees(now, of)) return undefined
  const vcpus = Math.max(leastOf(need, 'vcpus', now.vcpus), peakOf(now.vcpus, of))
  const memory = leastOf(need, 'memory_gib', now.memoryGib)
  const fit = now.edition === 'ENTERPRISE' ? enterprise(vcpus, memory) : plus(vcpus, memory)
  if (!fit) return undefined
  // A predefined tier may equal the fit under another name.
  return usd(fit) >= usd(now) && meets(now, vcpus, memory) ? specOf(of.instanceType, now) : specOf(nameOf(fit), fit)
}

const agrees = ({ edition }: Machine, of: PricedResource): boolean =>
  (textAt(of, 'specs.edition')?.toUpperCase() ?? edition) === edition

const meets = (now: Machine, vcpus: number, memory: number): boolean =>
  now.vcpus + 1e-9 >= vcpus && now.memoryGib + 1e-9 >= memory

function enterprise(vcpusMin: number, memory: number): Machine | undefined {
  const gib = Math.max(memoryMin, Math.ceil(memory / memoryStep - 1e-9) * memoryStep)
  const least = Math.max(vcpusMin, gib / memoryMaxByVcpu)
  const vcpus = least <= 1 ? 1 : Math.ceil(least / 2 - 1e-9) * 2
  const memoryGib = Math.max(gib, Math.ceil((vcpus * memoryMinByVcpu) / memoryStep) * memoryStep)
  return vcpus > vcpusMax ? undefined : { edition: 'ENTERPRISE', vcpus, memoryGib }
}

function plus(vcpusMin: number, memory: number): Machine | undefined {
  const vcpus = plusVcpus.find((count) => count + 1e-9 >= vcpusMin && count * plusGibByVcpu + 1e-9 >= memory)
  return vcpus === undefined ? undefined : { edition: 'ENTERPRISE_PLUS', vcpus, memoryGib: vcpus * plusGibByVcpu }
}

/** Numbers of vCPUs when stepping up in the edition Enterprise. */
const enterpriseVcpus = [1, 2, 4, 8, 16, 32, 64, vcpusMax]

export interface CloudSqlClass {
  readonly name: string
  readonly vcpus: number
  readonly memoryGib: number
}

/** The tier and larger ones of its edition, with the same memory for each vCPU; empty for a shared tier. */
export function cloudSqlClasses(tier: string): CloudSqlClass[] {
  const now = machineOf(tier)
  if (!now) return []
  const gibByVcpu = Math.min(now.memoryGib / now.vcpus, memoryMaxByVcpu)
  const larger = (now.edition === 'ENTERPRISE' ? enterpriseVcpus : plusVcpus).filter((vcpus) => vcpus > now.vcpus)
  const made = larger.flatMap((vcpus) =>
    now.edition === 'ENTERPRISE' ? (enterprise(vcpus, vcpus * gibByVcpu) ?? []) : (plus(vcpus, 0) ?? []),
  )
  return [{ ...now, name: tier }, ...made.map((machine) => ({ ...machine, name: nameOf(machine) }))].map(
    ({ name, vcpus, memoryGib }) => ({ name, vcpus, memoryGib }),
  )
}

const nameOf = ({ edition, vcpus, memoryGib }: Machine): string =>
  edition === 'ENTERPRISE' ? `db-custom-${vcpus}-${memoryGib * 1024}` : `db-perf-optimized-N-${vcpus}`

const specOf = (name: string, { vcpus, memoryGib }: Machine): TargetSpec => ({
  instance_type: name,
  vcpus,
  memory_gib: memoryGib,
})

const usd = ({ vcpus, memoryGib }: Machine): number => vcpus * usdVcpu + memoryGib * usdGib

/** Only for the edition Enterprise; includes the standby machine, if there is one. */
export function cloudSqlPrice(tier: string, of: PricedResource): number | undefined {
  const machine = machineOf(tier)
  if (machine?.edition !== 'ENTERPRISE') return undefined
  return usd(machine) * (textAt(of, 'specs.availability')?.toUpperCase() === 'REGIONAL' ? 2 : 1)
}
