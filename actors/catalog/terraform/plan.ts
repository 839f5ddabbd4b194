/** Reads the output of `terraform show -json` for a plan: which resources exist before and after it. */
import { documentOf, moduleOf, type TerraformChange, type Document, type TerraformResource } from './document.ts'
import { RegionOf } from './region.ts'
import { Templates, type TemplatesOf } from './template.ts'
import { TerraformValues } from './values.ts'

const actions = ['create', 'update', 'replace', 'delete', 'forget', 'no-op'] as const
export type TerraformAction = (typeof actions)[number]

/** One instance of a resource. */
export interface PlannedResource {
  /** With the keys of modules and instances, in Terraform's notation. */
  readonly address: string
  readonly type: string
  readonly action: TerraformAction
  /** Undefined: it does not exist yet. */
  readonly before: TerraformValues | undefined
  /** Undefined: it is deleted. */
  readonly after: TerraformValues | undefined
  /**
   * Its region by its own attributes, otherwise by its provider's configuration; undefined if neither has a known one.
   */
  readonly regionOf: (values: TerraformValues) => string | undefined
  /** The templates in the same plan that it takes its size from. */
  readonly templates: TemplatesOf
}

export interface TerraformPlan {
  readonly resources: readonly PlannedResource[]
  /** Changes that Terraform deferred to a later plan, by address; their values are unknown. */
  readonly deferred: readonly { address: string; type: string }[]
  /** False if the plan was limited to some resources, or leaves changes for the next plan. */
  readonly isComplete: boolean
}

/**
 * @param regions regions of resources whose providers do not name one.
 * @throws Error with one sentence if it is not a readable plan
 */
export function readPlan(bytes: Buffer, regions: readonly string[] = []): TerraformPlan {
  const document = documentOf(bytes)
  const regionOf = new RegionOf(document.configuration, document.variables, regions)
  const templates = new Templates(document.configuration)
  const findersOf = (one: TerraformResource): Finders => ({
    regionOf: regionOf.of(one),
    templates: templates.of(one),
  })
  const changes = (document.resource_changes ?? []).filter(isManaged)
  const resources = [
    ...changes.flatMap((change) => toPlannedResources(change, findersOf(change))),
    ...listUnchanged(document, findersOf),
  ]
  for (const resource of resources) templates.add(resource)
  const deferred = (document.deferred_changes ?? []).flatMap(({ resource_change: one }) => one ?? []).filter(isManaged)
  if (resources.length === 0 && deferred.length === 0) throw new Error('is an empty plan: it has no resources.')
  return {
    resources,
    deferred: deferred.map(({ address, type }) => ({ address, type })),
    isComplete: document.complete !== false,
  }
}

type Finders = Pick<PlannedResource, 'regionOf' | 'templates'>

const isManaged = ({ mode }: TerraformResource): boolean => mode === undefined || mode === 'managed'

/** A resource that Terraform only forgets still exists and costs the same. */
function toPlannedResources(one: TerraformChange, finders: Finders): PlannedResource[] {
  const { change, type } = one
  const before = isThere(change.before)
    ? new TerraformValues(change.before, undefined, change.before_sensitive)
    : undefined
  const isAfter = isThere(change.after) || isThere(change.after_unknown)
  const after = isAfter ? new TerraformValues(change.after, change.after_unknown, change.after_sensitive) : undefined
  const address = one.deposed === undefined ? one.address : `${one.address} (deposed ${one.deposed})`
  const row = { address, type, ...finders }
  const asked = change.actions
  if (!asked.includes('forget'))
    return [{ ...row, action: actionOf(asked), before, after: isGone(asked) ? undefined : after }]
  const left: PlannedResource = { ...row, action: 'forget', before, after: before }
  return asked.includes('create')
    ? [
        { ...left, address: `${address} (forgotten)` },
        { ...row, action: 'create', before: undefined, after },
      ]
    : [left]
}

/** `after_unknown` is an empty object or false if the resource does not exist after the plan. */
const isThere = (value: unknown): boolean =>
  value === true || (typeof value === 'object' && value !== null && Object.keys(value).length > 0)

const isGone = (asked: readonly string[]): boolean => asked.length === 1 && asked[0] === 'delete'

/** @throws Error if the action is unknown, since its effect on cost is unknown */
function actionOf(asked: readonly string[]): TerraformAction {
  if (asked.length === 2 && asked.includes('create') && asked.includes('delete')) return 'replace'
  const [one] = asked
  if (asked.length === 1 && ['create', 'update', 'delete', 'no-op'].includes(one!)) return one as TerraformAction
  throw new Error(`has a change with unknown actions: ${JSON.stringify(asked).slice(0, 80)}.`)
}

/**
 * Resources that the plan does not change: a plan limited to some resources lists the others only in the prior state.
 */
function listUnchanged(document: Document, findersOf: (one: TerraformResource) => Finders): PlannedResource[] {
  const changes = document.resource_changes ?? []
  const known = new Set(changes.flatMap((one) => [keyOf(one), one.previous_address ?? []].flat()))
  const found: PlannedResource[] = []
  for (const module of [document.planned_values?.root_module, document.prior_state?.values?.root_module]) {
    for (const one of resourcesOf(module)) {
      if (known.has(keyOf(one)) || !isManaged(one)) continue
      known.add(keyOf(one))
      const values = new TerraformValues(one.values, undefined, one.sensitive_values)
      const { address, type } = one
      found.push({ address, type, action: 'no-op', before: values, after: values, ...findersOf(one) })
    }
  }
  return found
}

const keyOf = ({ address, deposed, deposed_key: key = deposed }: TerraformResource): string =>
  key === undefined ? address : `${address} ${key}`

/**
 * Resources of the module and all modules below.
 * @throws Error if a module is malformed, since its resources would silently be left out
 */
function* resourcesOf(root: unknown): Generator<TerraformResource> {
  const waiting: unknown[] = root === undefined ? [] : [root]
  while (waiting.length > 0) {
    const module = moduleOf(waiting.pop())
    if (!module) throw new Error('is not a Terraform plan: a module does not match the plan format.')
    const { address, resources = [], child_modules: children = [] } = module
    for (const one of resources) yield address === undefined ? one : { ...one, module_address: address }
    waiting.push(...children)
  }
}
