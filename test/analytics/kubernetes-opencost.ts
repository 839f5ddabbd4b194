/** What the OpenCost specification (v0.1) makes of a cluster, by its formulas: floats, one price of a core and of a GiB an hour, one window. */

export interface Asset {
  cores: number
  gib: number
  /** US dollars an hour of the whole machine. */
  usdHour: number
  hoursRunning: number
}

/** Means over the window. */
export interface Workload {
  name: string
  hours: number
  cpuRequest: number
  cpuUsage: number
  gibRequest: number
  gibUsage: number
}

/** Base prices of the specification's reference list; only what they are to one another counts. */
const base = { core: 0.031611, gib: 0.004237 }

/** Appendix A: base prices scaled until the parts are the price of the machine. */
function rates({ cores, gib, usdHour }: Asset) {
  const scale = usdHour / (cores * base.core + gib * base.gib)
  return { core: base.core * scale, gib: base.gib * scale }
}

/**
 * Total cost of an asset is amount, times duration, times hourly rate; of a workload the same of the greater of request and usage;
 * what is left of the asset is idle.
 */
export function openCost(asset: Asset, workloads: readonly Workload[]) {
  const { core, gib } = rates(asset)
  const total = { cpu: asset.cores * asset.hoursRunning * core, memory: asset.gib * asset.hoursRunning * gib }
  const costs = workloads.map((one) => ({
    name: one.name,
    cpu: Math.max(one.cpuRequest, one.cpuUsage) * one.hours * core,
    memory: Math.max(one.gibRequest, one.gibUsage) * one.hours * gib,
  }))
  const taken = (of: 'cpu' | 'memory') => costs.reduce((all, one) => all + one[of], 0)
  return { total, costs, idle: { cpu: total.cpu - taken('cpu'), memory: total.memory - taken('memory') } }
}
