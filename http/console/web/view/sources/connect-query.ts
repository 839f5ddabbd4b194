/** Connecting an account as the address has it: the step, the choices, and what was typed; credentials stand nowhere. */
import { signal } from '@preact/signals'
import { change, param } from '../../router.ts'
import { session, viewerKey } from '../../session.ts'

/** `kubernetes` is a cluster by itself. */
const clouds = ['aws', 'gcp', 'azure', 'kubernetes'] as const
export type Cloud = (typeof clouds)[number]

/** What it may do at the cloud; `none`: nothing, producers and uploaded bills feed it. */
const accesses = ['read', 'write', 'none'] as const
export type Access = (typeof accesses)[number]

export const steps = ['connect', 'permissions'] as const
export type ConnectStep = (typeof steps)[number]

const texts = [
  'billing_bucket',
  'role_arn',
  'account',
  'name',
  'nodes',
  'proof',
  'azure_cloud',
  'regions',
  'location',
] as const
export type Text = (typeof texts)[number]

/** Undefined while no account is being connected. */
export const cloudAsked = (): Cloud | undefined => clouds.find((one) => one === param('connect'))
export const accessAsked = (): Access => accesses.find((one) => one === param('access')) ?? 'read'

/** The check is that of an account: without one there is none. */
export function stepAsked(): ConnectStep {
  return param('step') === 'permissions' && param('check') ? 'permissions' : 'connect'
}

/** What was typed, as far as the page knows: addresses that one goes back to are of before it was typed. */
const typedTexts = signal<Readonly<Partial<Record<Text, string>>>>(
  Object.fromEntries(texts.flatMap((name) => (param(name) === undefined ? [] : [[name, param(name)]]))),
)

let typedBy = viewerKey()
session.subscribe((now) => {
  // Who signs in after a reload gets back what the address has.
  if (typedBy !== '' && typedBy !== viewerKey(now)) typedTexts.value = {}
  typedBy = viewerKey(now)
})

export const textAsked = (name: Text): string => typedTexts.value[name] ?? param(name) ?? ''

/** Going back leads to the step before, not to the letter before. */
export const type = (name: Text) => (value: string) => {
  typedTexts.value = { ...typedTexts.peek(), [name]: value }
  change({ [name]: value }, { replace: true })
}

const nothing = Object.fromEntries([...texts, 'access', 'step', 'connect'].map((name) => [name, null]))

export function close(): void {
  typedTexts.value = {}
  change({ ...nothing, check: null })
}

/** What was typed is done with: the parameters of the address from then on. */
export function finishConnect(cloud: Cloud) {
  typedTexts.value = {}
  return { ...nothing, connect: cloud, step: 'permissions' }
}

/** Partition, account, path and name. */
const role = /^arn:aws(?:-cn|-us-gov)?:iam::(\d{12}):role\/.+$/

/** The account that a role is of; undefined where it is not written as one. */
export const accountOf = (roleARN: string): string | undefined => role.exec(roleARN.trim())?.[1]

export const regionsOf = (text: string): string[] => text.split(/[\s,]+/).filter((region) => region !== '')
