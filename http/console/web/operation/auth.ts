/** Made from the routes by test/console/operations.ts; never by hand. */
export interface AuthOperations {
  'DELETE /auth/sessions': {
    reply: undefined
  }
  'DELETE /auth/sessions/:sessionID': {
    reply: undefined
  }
  'GET /auth/browser/methods': {
    reply: {
      password: boolean
      saml: boolean
      oidc: boolean
      google: {
        authorizeURL: string
        clientID: string
      } | null
      github: {
        authorizeURL: string
        clientID: string
      } | null
      signUp: 'open' | 'invited' | 'closed'
    }
  }
  'GET /auth/me': {
    reply: {
      user: {
        id: string
        email: string
        name: string
      } | null
      orgID: string | null
      role: string
      isAdmin: boolean
      permissions: ('space.view' | 'space.create' | 'space.update' | 'space.delete' | 'provisioning.view' | 'provisioning.create' | 'provisioning.update' | 'provisioning.delete' | 'service.view' | 'service.create' | 'service.update' | 'service.delete' | 'deployment.view' | 'deployment.create' | 'deployment.update' | 'deployment.delete')[]
      reportScope: {
        all: boolean
        cloudAccountIDs: string[]
        teamIDs: string[]
      }
      needsSecondFactor: boolean
      isClosed: boolean
      deletesAt: string | null
      kind: 'session' | 'pat'
    }
  }
  'GET /auth/saml/metadata': {
    reply: undefined
  }
  'GET /auth/second-factor': {
    reply: {
      enabled: boolean
      enabledAt: string | null
      recoveryCodesLeft: number
    }
  }
  'GET /auth/sessions': {
    reply: ({
      id: string
      method: 'email' | 'google' | 'github' | 'saml' | 'link' | 'oidc'
      secondFactor: boolean
      createdAt: string
      lastUsedAt: string
      ip: string
      userAgent: string
      current: boolean
    })[]
  }
  'PATCH /auth/email/otp/validate': {
    reply: {
      verified: boolean
    }
  }
  'PATCH /auth/password/reset': {
    reply: {
      reset: boolean
    }
  }
  'POST /auth/browser/link': {
    reply: {
      accessToken: string
      expiresIn: number
      user: {
        email: string
        name: string
      }
      tenants: {
        id: string
        name: string
      }[]
      orgID: string | null
    }
  }
  'POST /auth/browser/login': {
    reply: {
      accessToken: string
      expiresIn: number
      user: {
        email: string
        name: string
      }
      tenants: {
        id: string
        name: string
      }[]
      orgID: string | null
    }
  }
  'POST /auth/browser/login/totp': {
    reply: {
      accessToken: string
      expiresIn: number
      user: {
        email: string
        name: string
      }
      tenants: {
        id: string
        name: string
      }[]
      orgID: string | null
    }
  }
  'POST /auth/browser/logout': {
    reply: undefined
  }
  'POST /auth/browser/refresh': {
    reply: {
      accessToken: string
      expiresIn: number
      user: {
        email: string
        name: string
      }
      tenants: {
        id: string
        name: string
      }[]
      orgID: string | null
    }
  }
  'POST /auth/email/verify': {
    reply: {
      message: string
    }
  }
  'POST /auth/oidc/initiate': {
    reply: {
      redirectURL: string
      state: string
      codeVerifier: string
    }
  }
  'POST /auth/password/change': {
    reply: {
      changed: boolean
    }
  }
  'POST /auth/password/forget': {
    reply: {
      message: string
    }
  }
  'POST /auth/saml/initiate': {
    reply: {
      redirectURL: string
      state: string
      codeVerifier: string
    }
  }
  'POST /auth/second-factor': {
    reply: {
      secret: string
      otpauthURL: string
    }
  }
  'POST /auth/second-factor/confirm': {
    reply: {
      recoveryCodes: string[]
    }
  }
  'POST /auth/second-factor/disable': {
    reply: undefined
  }
  'POST /auth/signup': {
    reply: {
      email: string
      verificationRequired: boolean
    }
  }
}
