import { expect } from 'chai'
import { cloudsOf } from '#streams/cloud/index.ts'
import { cloudProfiles } from '#streams/cloud/profile.ts'
import { billedBy } from '#streams/names.ts'
import { providers } from '#streams/names.ts'

describe('the clouds', () => {
  const clouds = cloudsOf({ seed: 'clouds', now: () => new Date('2026-01-15T10:00:00Z'), sleep: async () => {} })

  it('leave to the simulated one every account that no other holds', () => {
    for (const provider of providers)
      for (const externalId of ['sim-1', '123456789012'])
        expect(clouds.of({ provider, externalId })).to.equal(clouds.simulated)
  })

  it('have a profile each: what bills call them, and the credentials they take', () => {
    expect(Object.keys(cloudProfiles)).to.have.members([...providers])
    const names = ['AWS', 'Amazon Web Services', 'Google Cloud', 'gcp', 'Microsoft', 'Azure', 'Awsome', 'Oracle', '']
    expect(names.map(billedBy)).to.deep.equal([
      'aws',
      'aws',
      'gcp',
      'gcp',
      'azure',
      'azure',
      undefined,
      undefined,
      undefined,
    ])
  })
})
