import Glibc
import Host

exit(await Commands.main(.live()))
