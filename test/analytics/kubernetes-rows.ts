/** Rows that costs of clusters are divided by, and rows that they are divided into. Costs are counts of 1e-14 US dollars. */

export interface NodeRow {
  day: string
  cluster_uid: string
  node: string
  from: string
  seconds: number
  resource_uid: string
  provider: string
  region: string
  cpu_millicores: number
  memory_kib: number
  gpu_millis: number
  cpu_ppm: number
  gpu_ppm: number
  price: string
}

export interface PodRow {
  day: string
  cluster_uid: string
  namespace: string
  pod: string
  node: string
  from: string
  seconds: number
  controller_kind: string
  controller: string
  labels: Record<string, string>
  cpu_request: number
  cpu_used: number | null
  memory_request: number
  memory_used: number | null
  gpu_request: number
  network_bytes: number | null
}

export interface ObjectRow {
  day: string
  cluster_uid: string
  kind: string
  namespace: string
  name: string
  from: string
  seconds: number
  resource_uid: string
  pods: string[]
}

export interface Line {
  day: string
  /** Hours of the day: from, and until which it is not. */
  hours: readonly [number, number]
  provider: string
  region: string
  service_name: string
  resource_type: string
  purchase_type: string
  charge_category: string
  resource_uid: string
  isTraffic: boolean
  isEstimate: boolean
  /** Billed, effective, contracted, list. */
  costs: readonly bigint[]
}

/** Of one account. `until` is when it is: hours that begin then or later are to come. */
export interface Account {
  nodes: readonly NodeRow[]
  pods: readonly PodRow[]
  objects: readonly ObjectRow[]
  lines: readonly Line[]
  until: string
}

export interface Who {
  node: string
  namespace: string
  controller_kind: string
  controller: string
  pod: string
  kind: string
  component: string
}

/** One row of kubernetes_cost_slot. */
export interface Part extends Who {
  day: string
  cluster_uid: string
  provider: string
  region: string
  service_name: string
  resource_type: string
  purchase_type: string
  charge_category: string
  resource_uid: string
  estimated: number
  hasEstimates: boolean
  labels: Record<string, string>
  costs: bigint[]
  /** Cores (GiB, accelerators) times hours: requested, used, allocated. */
  quantities: number[]
}
