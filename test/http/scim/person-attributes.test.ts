import { expect } from 'chai'
import fc from 'fast-check'
import { Fault } from '#engine/value/fault.ts'
import { operationsOf } from '#http/scim/patch.ts'
import { patchPerson, wholeOf, type PersonAttributes } from '#http/scim/person-attributes.ts'

const was: PersonAttributes = {
  userName: 'ana@a.example',
  externalId: 'x1',
  displayName: 'Ana',
  givenName: 'Ana',
  familyName: 'Silva',
  email: 'ana@a.example',
  active: true,
}
const after = (...Operations: unknown[]) => patchPerson(was, operationsOf({ Operations }))
/** What is another after the operations. */
const differs = (...Operations: unknown[]) =>
  Object.fromEntries(
    Object.entries(after(...Operations)).filter(([name, value]) => value !== was[name as keyof PersonAttributes]),
  )
const typeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error instanceof Fault ? error.detail['scimType'] : error
  }
}

describe('what a directory says of a person by PATCH', () => {
  it('is said in every way that Entra ID and Okta have', () => {
    const ways: readonly (readonly [unknown, Partial<PersonAttributes>])[] = [
      [{ op: 'Replace', path: 'active', value: 'False' }, { active: false }],
      [{ op: 'replace', path: 'active', value: false }, { active: false }],
      [{ op: 'Add', path: 'active', value: 'false' }, { active: false }],
      [{ op: 'replace', value: { active: false } }, { active: false }],
      [{ op: 'Replace', path: 'active', value: [{ value: 'False' }] }, { active: false }],
      [{ op: 'Add', path: 'active', value: [{ value: 'True' }] }, {}],
      [{ Op: 'REPLACE', Path: 'Active', Value: 'FALSE' }, { active: false }],
      [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'B@a.example' }, { email: 'b@a.example' }],
      [{ op: 'Add', path: 'emails[type eq "work"].value', value: 'b@a.example' }, { email: 'b@a.example' }],
      [{ op: 'replace', value: { 'emails[type eq "work"].value': 'b@a.example' } }, { email: 'b@a.example' }],
      [{ op: 'replace', path: 'emails', value: [{ value: 'b@a.example', type: 'work' }] }, { email: 'b@a.example' }],
      [{ op: 'replace', path: 'emails[type eq "home"].value', value: 'b@a.example' }, {}],
      [
        { op: 'add', path: 'emails', value: [{ value: 'h@a.example' }, { value: 'p@a.example', primary: 'True' }] },
        { email: 'p@a.example' },
      ],
      [{ op: 'replace', path: 'name.familyName', value: 'Sá' }, { familyName: 'Sá' }],
      [{ op: 'replace', path: 'name', value: { givenName: 'Bea' } }, { givenName: 'Bea' }],
      [
        { op: 'replace', value: { 'name.givenName': 'Bea', name: { familyName: 'Sá' } } },
        { givenName: 'Bea', familyName: 'Sá' },
      ],
      [
        { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName', value: 'B' },
        { displayName: 'B' },
      ],
      [{ op: 'replace', path: 'userName', value: 'bea' }, { userName: 'bea' }],
      [{ op: 'remove', path: 'displayName' }, { displayName: null }],
      [
        { op: 'Remove', path: 'name' },
        { givenName: null, familyName: null },
      ],
      [{ op: 'replace', path: 'externalId', value: '' }, { externalId: null }],
      [{ op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'x' }, {}],
      [{ op: 'Replace', path: 'roles', value: [] }, {}],
      [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: 'x' }, {}],
      [{ op: 'add', value: { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'x' } } }, {}],
    ]
    for (const [operation, expected] of ways) {
      expect(differs(operation), JSON.stringify(operation)).to.deep.equal(expected)
    }
  })

  it('happens in its order, and not at all where one of it is wrong', () => {
    const off = { op: 'replace', path: 'active', value: false }
    expect(differs(off, { ...off, value: true })).to.deep.equal({})
    expect(typeOf(() => after(off, { op: 'add', path: 'shoeSize', value: 1 }))).to.equal('invalidPath')
    expect(was.active).to.equal(true)
  })

  it('never breaks, whatever is sent', () => {
    const path = fc.oneof(
      fc.string(),
      fc.constantFrom('active', 'emails', 'name', 'emails[type eq "work"].value', '[', 'constructor', '__proto__'),
    )
    const operation = fc.record(
      { op: fc.constantFrom('add', 'remove', 'Replace', 'x'), path, value: fc.anything() },
      { requiredKeys: [] },
    )
    const known = ['invalidPath', 'invalidValue', 'invalidSyntax', 'mutability', 'noTarget', 'tooMany']
    fc.assert(
      fc.property(fc.array(fc.oneof(operation, fc.anything()), { maxLength: 4 }), (Operations) => {
        const found = typeOf(() => after(...Operations))
        return typeof found === 'object' && !(found instanceof Error)
          ? true
          : typeof found === 'string' && known.includes(found)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('what a directory says of a person whole', () => {
  it('has an address: the primary one, that for work, the first, or the user name', () => {
    const emailOf = (emails: unknown, userName = 'ana@a.example') => wholeOf({ userName, emails }).email
    expect([
      emailOf([
        { value: 'h@a.example', type: 'home' },
        { value: 'W@a.example', type: 'work' },
      ]),
      emailOf([
        { value: 'w@a.example', type: 'work' },
        { value: 'p@a.example', primary: true },
      ]),
      emailOf([{ value: 'h@a.example' }]),
      emailOf([]),
      emailOf(undefined, 'Ana@A.example'),
      emailOf([{ type: 'work', value: null }]),
    ]).to.deep.equal(['w@a.example', 'p@a.example', 'h@a.example', 'ana@a.example', 'ana@a.example', 'ana@a.example'])
    expect(typeOf(() => emailOf([], 'ana'))).to.equal('invalidValue')
  })

  it('leaves out what is none, and is active unless it says otherwise', () => {
    const none = { externalId: null, displayName: null, givenName: null, familyName: null }
    const said = { userName: 'ana@a.example', email: 'ana@a.example', ...none }
    expect(wholeOf({ userName: 'ana@a.example', id: 'x', groups: [] })).to.deep.equal({ ...said, active: true })
    expect(wholeOf({ username: 'ana@a.example', ACTIVE: 'False' })).to.deep.equal({ ...said, active: false })
    expect(wholeOf({ userName: 'ana@a.example' }, { ...was, active: false }).active).to.equal(false)
    for (const body of [
      {},
      { userName: 1 },
      { userName: ' ' },
      { userName: 'x'.repeat(255) },
      { userName: 'a@b.c', active: 2 },
    ])
      expect(
        typeOf(() => wholeOf(body)),
        JSON.stringify(body),
      ).to.equal('invalidValue')
  })
})
