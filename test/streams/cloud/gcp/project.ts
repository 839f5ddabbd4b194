/**
 * A project of Google Cloud that keeps what is done to it, written after its API documents: machines, groups with autoscalers, pools of
 * nodes, databases, clusters, workbenches, workstations and versions. What is changed takes a few looks to be so, and what is busy
 * takes nothing else. `done` has every change that had an effect, once each.
 */
import { refusing, type Answer, type Question } from './far-google.ts'

/** Looks until a change is over. */
const takes = 2

interface Switch {
  state: string
  coming: string | undefined
  left: number
}

export class Project {
  readonly done: string[] = []
  private readonly requests = new Map<string, Answer>()
  readonly machine = { ...still('RUNNING'), size: 'e2-standard-2' }
  readonly group = { size: 3, moving: 0 }
  readonly scaler: { mode: string; min: number; max: number } | undefined
  readonly pool = {
    perZone: 2,
    zones: 2,
    moving: 0,
    scaling: { enabled: false, totalMinNodeCount: 0, totalMaxNodeCount: 0 },
  }
  readonly database = {
    policy: 'ALWAYS',
    tier: 'db-custom-2-7680',
    coming: undefined as Partial<{ policy: string; tier: string }> | undefined,
    left: 0,
  }
  readonly switches: Record<string, Switch> = {
    hadoop: still('RUNNING'),
    lab: still('ACTIVE'),
    desk: still('STATE_RUNNING'),
    version: still('SERVING'),
  }
  readonly snapshots = new Map<string, number>()
  readonly backups = new Map<string, number>()

  constructor(scaler?: { mode: string; min: number; max: number }) {
    this.scaler = scaler
  }

  /** What a question comes to. A `requestId` that was seen before says what was said then. */
  readonly answer = (question: Question): Answer => {
    const id = question.query.get('requestId') ?? (question.body.requestId as string | undefined)
    const known = id && this.requests.get(id)
    if (known) return known
    const found = this.routes().find(([method, path]) => method === question.method && path.test(question.path))
    const said = found ? found[2](question) : refusing(404, 'notFound')
    if (id) this.requests.set(id, said)
    return said
  }

  private did(what: string): Answer {
    this.done.push(what)
    return { body: { name: 'operation', status: 'RUNNING' } }
  }

  private routes(): readonly (readonly [string, RegExp, (question: Question) => Answer])[] {
    return [
      ['GET', /\/instances\/web$/, () => this.machineNow()],
      ['POST', /\/instances\/web\/(start|stop|setMachineType)$/, (q) => this.changeMachine(q)],
      ['GET', /\/instanceGroupManagers\/(api|gke-\w)$/, (q) => this.groupNow(q)],
      ['POST', /\/instanceGroupManagers\/api\/resize$/, (q) => this.resizeGroup(Number(q.query.get('size')))],
      ['GET', /\/autoscalers\/api$/, () => this.scalerNow()],
      ['PATCH', /\/autoscalers$/, (q) => this.changeScaler(q.body.autoscalingPolicy)],
      ['GET', /\/nodePools\/default$/, () => this.poolNow()],
      [
        'POST',
        /\/nodePools\/default:setSize$/,
        (q) =>
          this.changePool(
            `nodes ${q.body.nodeCount}`,
            () => (this.pool.perZone = q.body.nodeCount),
            q.body.nodeCount === this.pool.perZone,
          ),
      ],
      ['POST', /\/nodePools\/default:setAutoscaling$/, (q) => this.bindPool(q.body.autoscaling)],
      ['GET', /\/sql\/.*\/instances\/orders$/, () => this.databaseNow()],
      ['PATCH', /\/sql\/.*\/instances\/orders$/, (q) => this.changeDatabase(q.body.settings)],
      ['GET', /\/backupRuns$/, () => this.backupsNow()],
      ['POST', /\/backupRuns$/, (q) => this.backUp(q.body.description)],
      ['POST', /\/disks\/data\/createSnapshot$/, (q) => this.snap(q.body.name)],
      ['GET', /\/disks\/data$/, () => ({ body: { name: 'data', status: 'READY', sizeGb: '20' } })],
      ['GET', /\/global\/snapshots\/[\w-]+$/, (q) => this.snapshotNow(q.path.split('/').at(-1)!)],
      ...switchRoutes(this.switches, (what) => this.did(what)),
    ]
  }

  private machineNow(): Answer {
    tick(this.machine)
    return {
      body: {
        name: 'web',
        status: this.machine.state,
        machineType: `zones/us-central1-a/machineTypes/${this.machine.size}`,
      },
    }
  }

  private changeMachine({ path, body }: Question): Answer {
    const { machine } = this
    const what = path.slice(path.lastIndexOf('/') + 1)
    if (machine.coming) return refusing(400, 'resourceNotReady')
    if (what === 'setMachineType') {
      if (machine.state !== 'TERMINATED') return refusing(400, 'invalid', 'The instance must be stopped.')
      machine.size = (body.machineType as string).split('/').at(-1)!
      return this.did(`size ${machine.size}`)
    }
    const [passing, coming] = what === 'start' ? ['STAGING', 'RUNNING'] : ['STOPPING', 'TERMINATED']
    if (machine.state === coming) return { body: { name: 'operation', status: 'DONE' } }
    Object.assign(machine, { state: passing, coming, left: takes })
    return this.did(`${what} web`)
  }

  private groupNow({ path }: Question): Answer {
    const isOfPool = !path.endsWith('/api')
    const of = isOfPool ? this.pool : this.group
    const size = isOfPool ? this.pool.perZone : this.group.size
    if (of.moving > 0) of.moving--
    const doing = of.moving > 0 ? (size > 0 ? { creating: size } : { deleting: 1 }) : { none: size }
    const autoscaler =
      this.scaler && !isOfPool
        ? `https://www.googleapis.com/compute/v1/projects/shop-prod/zones/us-central1-a/autoscalers/api`
        : undefined
    return { body: { name: path.split('/').at(-1), targetSize: size, currentActions: doing, status: { autoscaler } } }
  }

  private resizeGroup(size: number): Answer {
    if (this.scaler?.mode === 'ON')
      return refusing(412, 'conditionNotMet', 'Resizing of autoscaled managed instance groups is not allowed.')
    if (this.group.size === size) return { body: { name: 'operation', status: 'DONE' } }
    Object.assign(this.group, { size, moving: takes })
    return this.did(`group ${size}`)
  }

  private scalerNow(): Answer {
    const { mode, min, max } = this.scaler!
    return {
      body: {
        name: 'api',
        autoscalingPolicy: {
          mode,
          minNumReplicas: min,
          maxNumReplicas: max,
          cpuUtilization: { utilizationTarget: 0.6 },
        },
      },
    }
  }

  private changeScaler({
    mode,
    minNumReplicas,
    maxNumReplicas,
  }: {
    mode?: string
    minNumReplicas?: number
    maxNumReplicas?: number
  }): Answer {
    const scaler = this.scaler!
    const next = { mode: mode ?? scaler.mode, min: minNumReplicas ?? scaler.min, max: maxNumReplicas ?? scaler.max }
    if (JSON.stringify(next) === JSON.stringify(scaler)) return { body: { status: 'DONE' } }
    Object.assign(scaler, next)
    if (next.mode === 'ON') this.group.size = Math.min(Math.max(this.group.size, next.min), next.max)
    return this.did(`scaler ${next.mode} ${next.min}-${next.max}`)
  }

  private poolNow(): Answer {
    const { moving, scaling } = this.pool
    const urls = ['a', 'b'].map(
      (zone) =>
        `https://www.googleapis.com/compute/v1/projects/shop-prod/zones/us-central1-${zone}/instanceGroupManagers/gke-${zone}`,
    )
    return {
      body: {
        name: 'default',
        status: moving > 0 ? 'RECONCILING' : 'RUNNING',
        locations: ['us-central1-a', 'us-central1-b'],
        instanceGroupUrls: urls,
        autoscaling: scaling,
      },
    }
  }

  private changePool(what: string, change: () => void, isSo: boolean): Answer {
    // A cluster does one thing at a time.
    if (this.pool.moving > 0)
      return refusing(400, 'FAILED_PRECONDITION', 'Cluster is running incompatible operation operation-1.')
    if (isSo) return { body: { name: 'operation', status: 'DONE' } }
    change()
    this.pool.moving = takes * 2
    return this.did(what)
  }

  private bindPool(scaling: { enabled: boolean; totalMinNodeCount?: number; totalMaxNodeCount?: number }): Answer {
    const { enabled, totalMinNodeCount = 0, totalMaxNodeCount = 0 } = scaling
    const next = { enabled, totalMinNodeCount, totalMaxNodeCount }
    const what = enabled ? `pool ${totalMinNodeCount}-${totalMaxNodeCount}` : 'pool unbound'
    return this.changePool(
      what,
      () => (this.pool.scaling = next),
      JSON.stringify(next) === JSON.stringify(this.pool.scaling),
    )
  }

  private databaseNow(): Answer {
    const { database } = this
    if (database.coming && --database.left <= 0) Object.assign(database, database.coming, { coming: undefined })
    return {
      body: { name: 'orders', state: 'RUNNABLE', settings: { tier: database.tier, activationPolicy: database.policy } },
    }
  }

  private changeDatabase({ activationPolicy, tier }: { activationPolicy?: string; tier?: string }): Answer {
    const { database } = this
    if (database.coming)
      return refusing(409, 'operationInProgress', 'Operation failed because another operation was already in progress.')
    database.coming = { ...(activationPolicy && { policy: activationPolicy }), ...(tier && { tier }) }
    database.left = takes
    return this.did(`database ${activationPolicy ?? tier}`)
  }

  private backUp(description: string): Answer {
    this.backups.set(`${description} ${this.backups.size}`, takes)
    return this.did(`backup ${description}`)
  }

  private backupsNow(): Answer {
    const items = [...this.backups].map(([key, left]) => {
      this.backups.set(key, Math.max(0, left - 1))
      return { description: key.split(' ')[0], status: left > 0 ? 'RUNNING' : 'SUCCESSFUL' }
    })
    return { body: { items } }
  }

  private snap(name: string): Answer {
    if (this.snapshots.has(name)) return refusing(409, 'alreadyExists')
    this.snapshots.set(name, takes)
    return this.did(`snapshot ${name}`)
  }

  private snapshotNow(name: string): Answer {
    const left = this.snapshots.get(name)
    if (left === undefined) return refusing(404, 'notFound')
    this.snapshots.set(name, Math.max(0, left - 1))
    return { body: { name, status: left > 0 ? 'CREATING' : 'READY' } }
  }
}

function still(state: string): Switch {
  return { state, coming: undefined, left: 0 }
}

function tick(one: Switch): void {
  if (one.coming !== undefined && --one.left <= 0) Object.assign(one, { state: one.coming, coming: undefined })
}

/** Path, name, how it is shown, and the states it goes through: starting, running, stopping, stopped. */
const switched = [
  [
    '/clusters/spark',
    'hadoop',
    (state: string) => ({ clusterName: 'spark', status: { state } }),
    ['STARTING', 'RUNNING', 'STOPPING', 'STOPPED'],
  ],
  ['/instances/lab', 'lab', (state: string) => ({ name: 'lab', state }), ['STARTING', 'ACTIVE', 'STOPPING', 'STOPPED']],
  [
    '/workstations/desk',
    'desk',
    (state: string) => ({ name: 'desk', state }),
    ['STATE_STARTING', 'STATE_RUNNING', 'STATE_STOPPING', 'STATE_STOPPED'],
  ],
] as const

function switchRoutes(
  switches: Record<string, Switch>,
  did: (what: string) => Answer,
): (readonly [string, RegExp, (question: Question) => Answer])[] {
  const version = switches['version']!
  return [
    ...switched.flatMap(([path, name, shown, [starting, running, stopping, stopped]]) => {
      const one = switches[name]!
      return [
        ['GET', new RegExp(`${path}$`), () => (tick(one), { body: shown(one.state) })] as const,
        [
          'POST',
          new RegExp(`${path}:(start|stop)$`),
          ({ path: asked }: Question) => {
            const isStart = asked.endsWith(':start')
            if (one.coming) return refusing(409, 'ABORTED', 'Another operation is in progress.')
            const coming = isStart ? running : stopped
            if (one.state === coming) return refusing(400, 'FAILED_PRECONDITION', `It is ${coming}.`)
            Object.assign(one, { state: isStart ? starting : stopping, coming, left: takes })
            return did(`${isStart ? 'start' : 'stop'} ${name}`)
          },
        ] as const,
      ]
    }),
    ['GET', /\/versions\/v1$/, () => ({ body: { id: 'v1', servingStatus: version.state } })],
    [
      'PATCH',
      /\/versions\/v1$/,
      ({ body }) => {
        if (version.state === body.servingStatus) return { body: {} }
        version.state = body.servingStatus
        return did(`version ${version.state}`)
      },
    ],
  ]
}
