import type { Fact, PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'
import { numberAt, textAt } from '#actors/recommendation/reference/fact-value.ts'

interface Rung {
  readonly cpuUnits: number
  readonly least: number
  readonly most: number
  readonly step: number
}

const rungs: readonly Rung[] = rowsOf('fargate').map((row) => ({
  cpuUnits: Number(row['cpu_units']),
  least: Number(row['memory_min_mib']),
  most: Number(row['memory_max_mib']),
  step: Number(row['memory_step_mib']),
}))

/** US dollars for a vCPU-hour and a GiB-hour in us-east-1, Linux. */
const prices: Readonly<Record<string, { vcpu: number; gib: number }>> = {
  X86_64: { vcpu: 0.04048, gib: 0.004445 },
  ARM64: { vcpu: 0.03238, gib: 0.00356 },
}

/** The cheapest pair of CPU and memory that the service allows. For unknown needs the present value is kept. */
export function fitFargate(need: Readonly<Record<string, Fact>>, of: PricedResource): TargetSpec | undefined {
  const least = (key: string): number | undefined => {
    const said = need[key]
    return typeof said === 'number' ? said : numberAt(of, `specs.${key}`)
  }
  const cpu = least('task_cpu_units')
  const memory = least('task_memory_mib')
  if (cpu === undefined || memory === undefined) return undefined
  let best: { spec: TargetSpec; usd: number } | undefined
  for (const { cpuUnits, least: from, most, step } of rungs) {
    const mib = from + Math.max(0, Math.ceil((memory - from) / step - 1e-9)) * step
    if (cpuUnits + 1e-9 < cpu || mib > most) continue
    const spec = { task_cpu_units: cpuUnits, task_memory_mib: mib }
    const usd = fargatePrice(spec, of)
    if (usd !== undefined && (!best || usd < best.usd)) best = { spec, usd }
  }
  return best?.spec
}

/** Price of one task. Undefined if it does not run Linux, or if CPU or memory are unknown. */
export function fargatePrice(spec: TargetSpec, of: PricedResource): number | undefined {
  const { task_cpu_units: cpu, task_memory_mib: mib } = spec
  const price = prices[textAt(of, 'specs.cpu_architecture')?.toUpperCase() ?? 'X86_64']
  const isLinux = (textAt(of, 'specs.operating_system') ?? 'LINUX').toUpperCase() === 'LINUX'
  if (!price || !isLinux || typeof cpu !== 'number' || typeof mib !== 'number') return undefined
  return (cpu / 1024) * price.vcpu + (mib / 1024) * price.gib
}

export const fargateNow = (of: PricedResource): TargetSpec => ({
  task_cpu_units: numberAt(of, 'specs.task_cpu_units'),
  task_memory_mib: numberAt(of, 'specs.task_memory_mib'),
})
