/**
 * What a Prometheus with two clusters keeps, a sample a minute. Of `prod`, from 10:00 on 2026-01-15: an hour in which much happens; a
 * day in which memory is not measured; an hour without anything.
 */
export const begin = Date.parse('2026-01-15T10:00:00Z')
const minuteMs = 60_000
const gib = 2 ** 30
const mib = 2 ** 20

type Labels = Readonly<Record<string, string>>
/** Minutes since the begin, both included, and the value in each. */
interface Told {
  from: number
  to: number
  value?: number | ((minute: number) => number)
}

class Samples {
  private readonly lines: string[] = []
  private readonly cluster: string

  constructor(cluster: string) {
    this.cluster = cluster
  }

  tell(name: string, labels: Labels, { from, to, value = 1 }: Told): void {
    const all = Object.entries({ ...labels, cluster: this.cluster }).map(([label, text]) => `${label}="${text}"`)
    for (let minute = from; minute <= to; minute++) {
      const now = typeof value === 'number' ? value : value(minute)
      this.lines.push(`${name}{${all.join(',')}} ${now} ${(begin + minute * minuteMs) / 1000}`)
    }
  }

  get text(): string {
    return this.lines.join('\n')
  }
}

/** Until 11:00 of the next day, when nothing is told any more. */
const whole = { from: -5, to: 25 * 60 }
const hour = { from: -5, to: 60 }

function node(of: Samples, name: string, id: string, told: Told): void {
  of.tell('kube_node_info', { node: name, provider_id: `aws:///eu-west-1a/${id}` }, told)
  of.tell('kube_node_status_capacity', { node: name, resource: 'cpu', unit: 'core' }, { ...told, value: 2 })
  of.tell('kube_node_status_capacity', { node: name, resource: 'memory', unit: 'byte' }, { ...told, value: 8 * gib })
  const labels = {
    label_node_kubernetes_io_instance_type: 'm5.large',
    label_topology_kubernetes_io_region: 'eu-west-1',
  }
  of.tell('kube_node_labels', { node: name, ...labels }, told)
}

interface Made {
  kind: string
  name: string
  node: string
}

/** Its information, and that it runs from one minute to another of those that it is known for. */
function pod(of: Samples, name: string, { kind, name: by, node: on }: Made, told: Told, runs: Told = told): void {
  const id = { namespace: 'shop', pod: name }
  of.tell('kube_pod_info', { ...id, node: on, created_by_kind: kind, created_by_name: by }, told)
  const value = (minute: number) => Number(minute >= runs.from && minute <= runs.to)
  of.tell('kube_pod_status_phase', { ...id, phase: 'Running' }, { ...told, value })
  of.tell('kube_pod_status_phase', { ...id, phase: 'Succeeded' }, { ...told, value: (at) => 1 - value(at) })
}

function container(
  of: Samples,
  name: string,
  container_: string,
  request: { cpu: number; memory: number },
  told: Told,
) {
  const id = { namespace: 'shop', pod: name, container: container_ }
  const requested = 'kube_pod_container_resource_requests'
  of.tell(requested, { ...id, resource: 'cpu', unit: 'core' }, { ...told, value: request.cpu })
  of.tell(requested, { ...id, resource: 'memory', unit: 'byte' }, { ...told, value: request.memory })
}

const cpu = (of: Samples, name: string, of_: string, told: Told) =>
  of.tell('container_cpu_usage_seconds_total', { namespace: 'shop', pod: name, container: of_, id: `/${of_}` }, told)
const memory = (of: Samples, name: string, of_: string, told: Told) =>
  of.tell('container_memory_working_set_bytes', { namespace: 'shop', pod: name, container: of_, id: `/${of_}` }, told)

function production(): Samples {
  const of = new Samples('prod')
  node(of, 'n1', 'i-0abc', whole)
  node(of, 'n2', 'i-0def', { from: 40, to: 65 })

  // Its counter grows by 30 core-seconds a minute, and begins anew at :31, at 10.
  pod(of, 'web-1-a', { kind: 'ReplicaSet', name: 'web-1', node: 'n1' }, whole)
  of.tell(
    'kube_replicaset_owner',
    { namespace: 'shop', replicaset: 'web-1', owner_kind: 'Deployment', owner_name: 'web' },
    whole,
  )
  of.tell('kube_pod_labels', { namespace: 'shop', pod: 'web-1-a', label_app: 'web', label_team: 'shop' }, whole)
  container(of, 'web-1-a', 'app', { cpu: 0.5, memory: 256 * mib }, whole)
  container(of, 'web-1-a', 'log', { cpu: 0.25, memory: 128 * mib }, whole)
  cpu(of, 'web-1-a', 'app', { ...whole, value: (at) => (at <= 30 ? 1000 + 30 * at : 10 + 30 * (at - 31)) })
  memory(of, 'web-1-a', 'app', { ...hour, value: (at) => (at < 30 ? 100 : 200) * mib })
  for (const none of ['POD', '']) {
    cpu(of, 'web-1-a', none, { ...whole, value: (at) => 600 * (at + 5) })
    memory(of, 'web-1-a', none, { ...hour, value: gib })
  }

  // Runs for seven minutes, and is known for long afterwards.
  const job = { kind: 'Job', name: 'nightly-1', node: 'n1' }
  pod(of, 'nightly-1-x', job, { from: 10, to: 65 }, { from: 10, to: 17 })
  of.tell(
    'kube_job_owner',
    { namespace: 'shop', job_name: 'nightly-1', owner_kind: 'CronJob', owner_name: 'nightly' },
    { from: 10, to: 65 },
  )
  container(of, 'nightly-1-x', 'job', { cpu: 1, memory: gib }, { from: 10, to: 65 })
  cpu(of, 'nightly-1-x', 'job', { from: 10, to: 17, value: (at) => 60 * (at - 10) })

  // Nobody tells anything of it for ten minutes.
  const lone = { kind: '<none>', name: '<none>', node: 'n2' }
  pod(of, 'lone', lone, { from: 41, to: 45 })
  pod(of, 'lone', lone, { from: 55, to: 65 })

  pod(of, 'waits', { kind: 'ReplicaSet', name: 'web-1', node: '' }, hour)

  of.tell(
    'kube_persistentvolumeclaim_info',
    { namespace: 'shop', persistentvolumeclaim: 'data', volumename: 'pv-1' },
    whole,
  )
  of.tell(
    'kube_persistentvolume_info',
    { persistentvolume: 'pv-1', csi_driver: 'ebs.csi.aws.com', csi_volume_handle: 'vol-1' },
    whole,
  )
  of.tell(
    'kube_pod_spec_volumes_persistentvolumeclaims_info',
    { namespace: 'shop', pod: 'web-1-a', volume: 'data', persistentvolumeclaim: 'data' },
    whole,
  )
  return of
}

/** Of the same names. */
function staging(): Samples {
  const of = new Samples('staging')
  node(of, 'n1', 'i-0999', hour)
  pod(of, 'web-1-a', { kind: 'StatefulSet', name: 'web', node: 'n1' }, hour)
  container(of, 'web-1-a', 'app', { cpu: 2, memory: gib }, hour)
  cpu(of, 'web-1-a', 'app', { ...hour, value: (at) => 120 * (at + 5) })
  return of
}

export const openMetrics = (): string => `${production().text}\n${staging().text}\n# EOF\n`
