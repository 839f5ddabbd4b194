/** The template, in the same plan, from which a group of machines or a machine takes its size. */
import {
  configurationOfModule,
  declarationOf,
  expressionOf,
  moduleCallsOf,
  type Configuration,
  type TerraformResource,
} from './document.ts'
import { later, type TerraformValues } from './values.ts'

type SideName = 'before' | 'after'

/** Where a resource names its template. */
export interface TemplateReference {
  /** Types of the template. */
  readonly types: readonly string[]
  /** The attributes with its id, link or name, `launch_template.0.id`; the first one that is set counts. */
  readonly paths: readonly string[]
  /** The attribute with the version of the template, if templates of these types have versions. */
  readonly version?: string
}

/** Undefined: the resource names no template, or one that is not part of the plan, or cannot be told apart. */
export type TemplatesOf = (
  side: SideName,
  values: TerraformValues,
  reference: TemplateReference,
) => TerraformValues | undefined

type Instance = {
  type: string
  address: string
  before: TerraformValues | undefined
  after: TerraformValues | undefined
}
type Place = { module: string; key: string }

/** Nested modules that pass a template on; more would be a circle. */
const depthMax = 16

export class Templates {
  readonly #configuration: Configuration
  readonly #byType = new Map<string, Instance[]>()

  constructor(configuration: Configuration = {}) {
    this.#configuration = configuration
  }

  /** All resources of the plan are added before the first question. */
  add({ type, address, before, after }: Instance): void {
    if (!/template|launch_configuration/.test(type)) return
    const others = this.#byType.get(type) ?? []
    others.push({ type, address, before, after })
    this.#byType.set(type, others)
  }

  of(resource: TerraformResource): TemplatesOf {
    return (side, values, reference) => {
      const [path, said] =
        reference.paths.map((one) => [one, values.text(one)] as const).find(([, value]) => value !== undefined) ?? []
      if (path === undefined || said === undefined) return undefined
      const found =
        said === later ? this.#referenced(resource, reference.types, path) : this.#named(reference.types, said, side)
      const version = reference.version && values.at(reference.version)
      return found && versionOf(found, side, typeof version === 'number' ? String(version) : version)
    }
  }

  #all = (types: readonly string[]): Instance[] => types.flatMap((type) => this.#byType.get(type) ?? [])

  #named(types: readonly string[], said: string, side: SideName): Instance | undefined {
    const isNamed = (one: Instance): boolean =>
      ['id', 'name', 'self_link', 'self_link_unique'].some((key) => {
        const own = one[side]?.text(key)
        return typeof own === 'string' && linkOf(own) === linkOf(said)
      })
    return this.#all(types).find(isNamed)
  }

  /** Its id is not known yet: the configuration says which resource it is of. */
  #referenced(resource: TerraformResource, types: readonly string[], path: string): Instance | undefined {
    const module = resource.module_address ?? ''
    const configuration = configurationOfModule(this.#configuration, moduleCallsOf(module))
    const expression = expressionAt(declarationOf(configuration, resource)?.expressions, path)
    const key = /\[[^\]]*\]$/.exec(resource.address)?.[0] ?? ''
    return (
      this.#follow(expression, types, { module, key }) ??
      // Locals and loops are not in the plan; the only template of the module can be no other.
      only(this.#all(types).filter((one) => one.after && moduleOf(one) === module))
    )
  }

  #follow(expression: unknown, types: readonly string[], place: Place, depth = 0): Instance | undefined {
    if (depth > depthMax) return undefined
    for (const reference of expressionOf(expression)?.references ?? []) {
      const [head = '', name = '', output = ''] = reference.replaceAll(/\[[^\]]*\]/g, '').split('.')
      const found = types.includes(head)
        ? this.#instance(reference, `${head}.${name}`, place)
        : this.#passed(head, name, output, types, place, depth)
      if (found) return found
    }
    return undefined
  }

  /** From the module around, or out of a module. */
  #passed(head: string, name: string, output: string, types: readonly string[], place: Place, depth: number) {
    const calls = moduleCallsOf(place.module)
    if (head === 'module') {
      const inner = configurationOfModule(this.#configuration, [...calls, name])?.outputs?.[output]?.expression
      const module = place.module === '' ? `module.${name}` : `${place.module}.module.${name}`
      return this.#follow(inner, types, { ...place, module }, depth + 1)
    }
    if (head !== 'var' || calls.length === 0) return undefined
    const around = configurationOfModule(this.#configuration, calls.slice(0, -1))
    const given = around?.module_calls?.[calls.at(-1)!]?.expressions
    const module = place.module.replace(/\.?module\.[^.[]+(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\])?$/, '')
    return this.#follow(expressionAt(given, name), types, { ...place, module }, depth + 1)
  }

  /** The instance that the reference names, that with the key of the resource itself, or the only one. */
  #instance(reference: string, resource: string, { module, key }: Place): Instance | undefined {
    const start = module === '' ? resource : `${module}.${resource}`
    const all = this.#all([resource.slice(0, resource.indexOf('.'))]).filter(
      ({ address, after }) => after && (address === start || address.startsWith(`${start}[`)),
    )
    const asked = /^[^[]+(\[(?:\d+|"[^"]*")\])/.exec(reference)?.[1] ?? key
    return all.find(({ address }) => address === `${start}${asked}`) ?? only(all)
  }
}

const only = <T>(all: readonly T[]): T | undefined => (all.length === 1 ? all[0] : undefined)

/** `module.a["x"]` of `module.a["x"].aws_launch_template.b[0]`. */
const moduleOf = ({ address, type }: Instance): string =>
  address.slice(0, address.lastIndexOf(`${type}.`)).replace(/\.$/, '')

/** Google names one template by a link, a path or a name. */
const linkOf = (said: string): string => said.replace(/^https:\/\/[^/]+\/compute\/[^/]+\//, '').replace(/\?.*$/, '')

/** The expression at a path of blocks and attributes; a single block may be written as an object. */
function expressionAt(expressions: unknown, path: string): unknown {
  let at = expressions
  for (const key of path.split('.')) {
    if (Array.isArray(at)) at = at[/^\d+$/.test(key) ? Number(key) : 0]
    if (typeof at !== 'object' || at === null) return undefined
    if (!/^\d+$/.test(key)) at = Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined
  }
  return at
}

/** A group that names a version keeps it when the template gets a newer one. Only the newest is in the plan. */
function versionOf({ before, after }: Instance, side: SideName, version: unknown): TerraformValues | undefined {
  const of = side === 'before' ? before : after
  if (typeof version !== 'string' || version === '$Latest' || !of) return of
  const newest = (values: TerraformValues | undefined, key: string): string | undefined => {
    const number = values?.number(key)
    return typeof number === 'number' ? String(number) : undefined
  }
  if (version === '$Default') {
    const isNewest = newest(before, 'default_version') === newest(before, 'latest_version')
    if (side === 'after' && (!before || after?.at('update_default_version') === true)) return after
    return isNewest ? before : undefined
  }
  return [before, after].find((values) => newest(values, 'latest_version') === version)
}
