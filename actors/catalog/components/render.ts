/**
 * Renders manifests with values. `{{values.replicas}}` as a whole text becomes the value itself; within a text it
 * becomes text. An element or member `{ "$if": ..., "$then": ... }` is included if the condition holds: a path whose
 * value is not empty, `!path`, or `path=value`. `{ "$lines": [...] }` becomes a text with these lines, which always
 * stays a text.
 */
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import { isProvider, type Provider } from '#streams/names.ts'
import { findComponent, valuesOf, type Component, type Manifest } from './load.ts'

export interface Cluster {
  name: string
  region: string
  provider: Provider
}

type Context = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const wholePlaceholder = /^\{\{([a-z]+\.[A-Za-z]+)\}\}$/
const within = /\{\{([a-z]+\.[A-Za-z]+)\}\}/g

/** The objects of a component for a cluster, in the order in which they are applied; all carry our label. */
export function manifestsOf(
  component: Component,
  given: Readonly<Record<string, unknown>>,
  cluster: Cluster,
): Manifest[] {
  const context: Context = {
    values: valuesOf(component, given),
    cluster: { ...cluster },
    component: { namespace: component.namespace, version: component.version },
  }
  const objects = render(component.manifests, context) as Manifest[]
  return objects.map((object) => addLabels(object, component))
}

type ComponentJob = Pick<ProvisionRequest, 'kind' | 'config' | 'region'> & {
  provider: string
  clusterUid?: string | null | undefined
}

/** The objects of a job that installs a component; none for other kinds, and for a component that is no longer offered. */
export function objectsOf({
  kind,
  config,
  region,
  provider,
  clusterUid,
}: ComponentJob): Pick<ProvisionRequest, 'objects'> {
  const component = kind === 'component' ? findComponent(String(config['componentID'])) : undefined
  if (!component || !isProvider(provider)) return {}
  const values = config['values'] as Record<string, unknown> | undefined
  const name = clusterUid?.split('/').at(-1) ?? ''
  return { objects: manifestsOf(component, values ?? {}, { name, region, provider }) }
}

const addLabels = (object: Manifest, { id, version }: Component): Manifest => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: {
      ...object.metadata.labels,
      'app.kubernetes.io/managed-by': 'tidemark',
      'app.kubernetes.io/part-of': id,
      'app.kubernetes.io/version': version,
    },
  },
})

const nothing = Symbol('nothing')

function render(template: unknown, context: Context): unknown {
  if (typeof template === 'string') return fill(template, context)
  if (Array.isArray(template)) return template.map((item) => render(item, context)).filter((item) => item !== nothing)
  return typeof template === 'object' && template !== null ? renderedObject(template, context) : template
}

function renderedObject(template: object, context: Context): unknown {
  const { $if: condition, $lines: lines } = template as { $if?: string; $lines?: unknown[] }
  if (condition !== undefined)
    return holds(condition, context) ? render((template as { $then: unknown }).$then, context) : nothing
  if (lines !== undefined) return (render(lines, context) as unknown[]).join('\n')
  const members = Object.entries(template).map(([name, value]) => [name, render(value, context)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== nothing))
}

function fill(text: string, context: Context): unknown {
  const path = wholePlaceholder.exec(text)?.[1]
  return path === undefined
    ? text.replaceAll(within, (_, inner: string) => String(at(inner, context)))
    : at(path, context)
}

function holds(condition: string, context: Context): boolean {
  const [, not, path, wanted] = /^(!?)([a-z]+\.[A-Za-z]+)(?:=(.*))?$/.exec(condition) ?? []
  if (path === undefined) throw new Error(`${condition} is not a condition`)
  const [room, name] = path.split('.') as [string, string]
  const value = context[room]?.[name]
  if (wanted !== undefined) return (String(value) === wanted) === (not === '')
  return (value !== undefined && value !== '' && value !== false) === (not === '')
}

function at(path: string, context: Context): unknown {
  const [room, name] = path.split('.') as [string, string]
  const value = context[room]?.[name]
  if (value === undefined) throw new Error(`a manifest cannot use ${path}: it has no value`)
  return value
}
