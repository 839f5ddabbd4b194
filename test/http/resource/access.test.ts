import { expect } from 'chai'
import fc from 'fast-check'
import { networkAccess, networkHolds } from '#http/resource/access.ts'

const ourIps = ['198.51.100.10/32', '203.0.113.7/32']

describe('http access check', () => {
  it('reaches a public cluster whose allowlist has every address of ours [ACC-03] [ACC-08] [ACC-10]', () => {
    const facts = { publicAccess: true, allowlist: ['203.0.113.0/24', '198.51.100.10/32'] }
    expect(networkAccess(facts, ourIps)).to.deep.equal({
      reachable: true,
      publicAccess: true,
      ourIps,
      ourIp: '198.51.100.10/32',
    })
    expect(networkAccess({ publicAccess: true, allowlist: ['0.0.0.0/0'] }, ourIps).reachable).to.equal(true)
  })
  it('does not when the allowlist lacks one of them [ACC-06]', () => {
    expect(networkAccess({ publicAccess: true, allowlist: ['198.51.100.10/32'] }, ourIps)).to.deep.equal({
      reachable: false,
      reason: 'ip_not_allowlisted',
      publicAccess: true,
      ourIps,
      ourIp: '198.51.100.10/32',
    })
    expect(networkAccess({ publicAccess: true, allowlist: [] }, ourIps).reason).to.equal('ip_not_allowlisted')
  })
  it('says private when there is no public access [ACC-05]', () => {
    expect(networkAccess({ publicAccess: false, allowlist: ['0.0.0.0/0'] }, ourIps).reason).to.equal('private')
    expect(networkAccess(undefined, ourIps)).to.include({ reachable: false, reason: 'private', publicAccess: false })
  })
  it('blames our own configuration before anything of the caller [ACC-07]', () => {
    expect(networkAccess({ publicAccess: false, allowlist: [] }, [])).to.deep.equal({
      reachable: false,
      reason: 'egress_config_error',
      publicAccess: false,
      ourIps: [],
    })
  })
  it('knows which networks hold which', () => {
    expect(networkHolds('10.0.0.0/8', '10.1.0.0/16')).to.equal(true)
    expect(networkHolds('10.1.0.0/16', '10.0.0.0/8')).to.equal(false)
    expect(networkHolds('10.0.0.0/8', '11.0.0.1')).to.equal(false)
    expect(networkHolds('203.0.113.7', '203.0.113.7/32')).to.equal(true)
    expect(networkHolds('0.0.0.0/0', '2001:db8::1')).to.equal(false)
    expect(networkHolds('2001:db8::/32', '2001:db8:1::/48')).to.equal(true)
    expect(networkHolds('::/0', '2001:db8::1/128')).to.equal(true)
  })
  it('finds an address in each network it is cut to', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, bits) => {
        expect(networkHolds(`${address}/${bits}`, address)).to.equal(true)
      }),
    )
  })
})
