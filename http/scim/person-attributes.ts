/**
 * The attributes of a person from a directory, complete in POST and PUT, single ones in PATCH, as Entra ID and Okta
 * write them. Attributes that we do not store are ignored, as the standard allows; those in no schema are refused.
 */
import { scimFault } from '#http/scim/message.ts'
import { addressOf } from '#http/identity/provider/person.ts'
import { plainPath, truthOf } from '#http/scim/filter.ts'
import { record, type PatchOperation } from '#http/scim/patch.ts'

/** The stored attributes of a person. */
export interface PersonAttributes {
  userName: string
  externalId: string | null
  displayName: string | null
  givenName: string | null
  familyName: string | null
  /** Lower case. */
  email: string
  active: boolean
}

const textMax = 254

const wrong = (what: string, must: string) => scimFault('invalidValue', `${what} ${must}.`)

function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > textMax)
    throw wrong(what, `must be text of 1 to ${textMax} characters`)
  return value.trim()
}
/** Empty text means none: directories send it for missing values. */
const textOrNone = (value: unknown, what: string): string | null =>
  value === null || value === undefined || value === '' ? null : text(value, what)

function mail(value: unknown): string {
  const address = addressOf(text(value, 'An email address'))
  if (address === undefined) throw wrong('An email address', 'must be valid, such as ana@example.com')
  return address
}

/** One value, or one in a list as of an attribute with several, which some directories send: `[{ "value": "True" }]`. */
function activity(value: unknown): boolean {
  const given = truthOf(Array.isArray(value) && value.length === 1 ? record(value[0])['value'] : value)
  if (given === undefined) throw wrong('active', 'must be true or false')
  return given
}

/**
 * The address that we store: the primary one, otherwise the work one, otherwise the first. Undefined if there is none.
 */
function chooseEmail(value: unknown): string | undefined {
  const all = [value].flat().flatMap((one) => {
    if (typeof one === 'string') return [{ value: one }]
    const given = record(one)
    return given['value'] === undefined || given['value'] === null || given['value'] === '' ? [] : [given]
  })
  const isWork = (one: Record<string, unknown>) =>
    typeof one['type'] === 'string' && one['type'].toLowerCase() === 'work'
  const found = all.find((one) => truthOf(one['primary']) === true) ?? all.find(isWork) ?? all[0]
  return found && mail(found['value'])
}

type Setter = (said: PersonAttributes, value: unknown) => void

/** By path in lower case. `null` deletes. */
const setters: Readonly<Record<string, Setter>> = {
  username: (said, value) => void (said.userName = text(value, 'userName')),
  externalid: (said, value) => void (said.externalId = textOrNone(value, 'externalId')),
  displayname: (said, value) => void (said.displayName = textOrNone(value, 'displayName')),
  'name.givenname': (said, value) => void (said.givenName = textOrNone(value, 'name.givenName')),
  'name.familyname': (said, value) => void (said.familyName = textOrNone(value, 'name.familyName')),
  active: (said, value) => void (said.active = activity(value)),
  emails: (said, value) => void (said.email = chooseEmail(value) ?? fromName(said)),
  'emails.value': (said, value) => void (said.email = mail(value)),
  name: (said, value) => {
    const given = record(value)
    for (const part of ['givenname', 'familyname'])
      if (value === null || given[part] !== undefined) setters[`name.${part}`]!(said, given[part])
  },
}

/** Without an address of its own, the user name is used, which usually is one. */
function fromName({ userName }: PersonAttributes): string {
  const address = addressOf(userName)
  if (address !== undefined) return address
  throw wrong('emails', 'must contain an email address, because userName is not one')
}

/** Attributes of the core schema that we do not store. */
const passedOver: ReadonlySet<string> = new Set(
  [
    'schemas name nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos',
    'addresses entitlements roles x509certificates emails.type emails.primary emails.display',
  ].flatMap((names) => names.split(' ')),
)
const readOnly = new Set(['id', 'meta', 'groups'])

const isPassedOver = (path: string): boolean =>
  passedOver.has(path) || passedOver.has(path.split('.')[0]!) || path.startsWith('urn:')

/** The attributes in a complete body; a missing one is none, except `active`, which stays unchanged. */
export function wholeOf(body: unknown, was?: PersonAttributes): PersonAttributes {
  const given = record(body)
  const none = { externalId: null, displayName: null, givenName: null, familyName: null }
  const said: PersonAttributes = { userName: '', email: '', ...none, active: was?.active ?? true }
  setters['username']!(said, given['username'])
  for (const name of ['externalid', 'displayname', 'name', 'active'] as const)
    if (given[name] !== undefined && given[name] !== null) setters[name]!(said, given[name])
  said.email = chooseEmail(given['emails'] ?? []) ?? addressOf(said.userName) ?? was?.email ?? fromName(said)
  return said
}

/** The attributes after the operations, in their order. @throws Fault with the matching scimType */
export function patchPerson(was: PersonAttributes, operations: readonly PatchOperation[]): PersonAttributes {
  const said = { ...was }
  for (const { op, path, value } of operations) {
    if (path !== undefined) apply(said, op, path, value)
    else for (const [name, inner] of Object.entries(value as object)) apply(said, op, name, inner)
  }
  return said
}

/** `attribute[filter].sub`, without the name of the core schema. */
const pathShape = /^([^[\]]+?)(?:\[([^\]]*)\])?(?:\.([\w$]+))?$/

function apply(said: PersonAttributes, op: PatchOperation['op'], given: string, value: unknown): void {
  const { attribute, path, filter } = pathIn(given)
  if (readOnly.has(attribute)) throw scimFault('mutability', `${attribute} is read-only.`)
  // Home and other addresses are not stored.
  if (attribute === 'emails' && /type\s+eq\s+"(?!work")/.test(filter)) return
  const set = Object.hasOwn(setters, path) ? setters[path] : undefined
  if (!set) {
    if (isPassedOver(path)) return
    throw scimFault('invalidPath', `Users do not have ${given.slice(0, 100)}.`)
  }
  if (op === 'remove') removeAttribute(said, path, set)
  else set(said, value)
}

/** In lower case; `path` is without its filter. */
function pathIn(given: string): { attribute: string; path: string; filter: string } {
  const plain = plainPath(given)
  const [, attribute, filter = '', sub] = pathShape.exec(plain) ?? []
  if (attribute === undefined) throw scimFault('invalidPath', `This is not a valid path: ${given.slice(0, 100)}`)
  return { attribute, path: sub === undefined ? attribute : `${attribute}.${sub}`, filter }
}

function removeAttribute(said: PersonAttributes, path: string, set: Setter): void {
  if (path === 'username' || path === 'active') throw scimFault('mutability', `${path} cannot be removed.`)
  if (path === 'emails.value') said.email = fromName(said)
  else set(said, path === 'emails' ? [] : null)
}
