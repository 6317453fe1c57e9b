/** The contract, held by the chroot driver on a real riscv64 root. */
import { join } from 'node:path';
import { createChrootDriver } from '../../sandbox/chroot-driver.ts';
import { testHome } from '../support/test-home.ts';
import { sandboxContract } from './contract.ts';

sandboxContract('chroot', () => createChrootDriver({ home: testHome(), runsDir: join(testHome(), 'runs') }));
