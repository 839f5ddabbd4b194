/** Templates of the components: their manifests with values in place of what an operator may set. */
import { documentsOf, get, onlyIf, optionalText, replaceText, set, Template, type Path, type Tree } from './manifest.ts'
import { components, container, placeParts, pod, type Component } from './part.ts'

/** Places in the pod of a role, or of a store, and their expressions. */
const ofRole: readonly (readonly [at: Path, expression: string])[] = [
  [[...container, 'image'], '.Values.image | quote'],
  [[...container, 'envFrom', 1, 'secretRef', 'name'], '.Values.secret | quote'],
  [['spec', 'automountServiceAccountToken'], '.Values.serviceAccount.mountToken'],
]

/** The objects of a component's manifest, separated, and its disruption budget from values. */
export function workloads(name: Component): string {
  const { file, kind } = components[name]
  const template = new Template()
  const texts = documentsOf(file)
    .filter((one) => one['kind'] !== 'PodDisruptionBudget')
    .map((tree) => {
      if (tree['kind'] === kind) placeWorkload(template, tree, name)
      else if (tree['kind'] === 'HorizontalPodAutoscaler')
        for (const key of ['minReplicas', 'maxReplicas'])
          set(tree, ['spec', key], template.inline(`.Values.edge.${key}`))
      else if (tree['kind'] === 'PersistentVolumeClaim') placeClaim(template, tree['spec'], 'edge.exports')
      else if (get(tree, ['data', 'nats.conf']) !== undefined) {
        const lanes = template.inline('.Values.settings.TIDEMARK_LANES')
        const conf = get(tree, ['data', 'nats.conf']) as string
        set(tree, ['data', 'nats.conf'], replaceText(conf, 'partition(16,', `partition(${lanes},`))
      }
      return template.print(tree)
    })
  return texts.join('---\n') + disruptionBudget(name)
}

export function placeWorkload(template: Template, tree: Tree, name: Component): void {
  const inside = get(tree, pod) as Tree
  if (name === 'engine' || name === 'edge') {
    for (const [at, expression] of ofRole) set(inside, at, template.inline(expression))
    const account = '.Values.serviceAccount'
    const isNamed = `or ${account}.create ${account}.name`
    const accountName = `${account}.name | default "tidemark" | quote`
    set(inside, ['spec', 'serviceAccountName'], template.member(onlyIf(isNamed, accountName)))
  } else placeStore(template, tree, name)
  if (name === 'engine') {
    const isFixed = 'eq .Values.engine.autoscaling.kind "none"'
    set(tree, ['spec', 'replicas'], template.member(onlyIf(isFixed, '.Values.engine.replicas')))
  }
  placeParts(template, inside, name)
}

function placeStore(template: Template, tree: Tree, name: Exclude<Component, 'engine' | 'edge'>): void {
  const inside = get(tree, pod) as Tree
  set(inside, [...container, 'image'], template.inline(`.Values.${name}.image | quote`))
  placeClaim(template, get(tree, ['spec', 'volumeClaimTemplates', 0, 'spec']), `${name}.storage`)
  const env = get(inside, [...container, 'env']) as Tree[]
  for (const one of env)
    if (get(one, ['valueFrom', 'secretKeyRef']))
      set(one, ['valueFrom', 'secretKeyRef', 'name'], template.inline('.Values.storesSecret | quote'))
  for (const volume of (get(inside, ['spec', 'volumes']) ?? []) as Tree[])
    if (volume['secret']) set(volume, ['secret', 'secretName'], template.inline('.Values.natsUsersSecret | quote'))
  if (name !== 'postgres') return
  const args = get(inside, [...container, 'args']) as string[]
  const most = args.indexOf('max_connections=300')
  if (most < 0) throw new Error('config/deploy/postgres.yaml no longer contains max_connections=300')
  args[most] = `max_connections=${template.inline('.Values.postgres.maxConnections')}`
}

function placeClaim(template: Template, claim: unknown, value: string): void {
  set(claim, ['resources', 'requests', 'storage'], template.inline(`.Values.${value}.size | quote`))
  set(claim, ['storageClassName'], template.member(optionalText(`.Values.${value}.storageClass`)))
}

const disruptionBudget = (name: Component): string => `{{- with .Values.${name}.podDisruptionBudget }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
spec:
  selector: { matchLabels: { app: ${name} } }
  {{- toYaml . | nindent 2 }}
{{- end }}
`
