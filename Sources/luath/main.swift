import Commands
import Glibc

exit(await Commands.main(.live()))
